"""The pages of one result file of bin/bench-matrix.

usage: matrix_report.py [--verify] RESULT.json DIRECTORY
Writes RESULT.html, with plots in it, and RESULT.md. With --verify nothing is written: every number is computed again
from the samples and compared with the pages that are there; plots are not compared.
"""

import base64
import difflib
import html
import io
import json
import pathlib
import re
import statistics
import sys

STOCK, OURS = SIDES = ("stock", "ours")
COLOURS = {STOCK: "#7f7f7f", OURS: "#1f77b4"}
MIB = 1 << 20
IMAGE = re.compile(r'src="data:[^"]*"')


class Pair:
    """A query in a cell: the samples that count, of pairs that have a verdict."""

    def __init__(self, result, cell, query):
        self.cell, self.query = cell, query
        samples = [s for s in result["samples"] if (s["cell"], s["query"]) == (cell, query) and not s["warmup"]]
        self.samples = {side: [s for s in samples if s["side"] == side] for side in SIDES}
        self.backends = {side: s[0]["backend"] for side, s in self.samples.items() if s}
        by_pair = {(s["pair"], s["side"]): s for s in samples}
        self.ratios = [
            by_pair[pair, STOCK]["millis"] / by_pair[pair, OURS]["millis"]
            for pair in dict.fromkeys(s["pair"] for s in samples)
            if (pair, STOCK) in by_pair and (pair, OURS) in by_pair
        ]
        verdicts = [v for v in result["verdicts"] if (v["cell"], v["query"]) == (cell, query)]
        # A job that failed and ran through when the run was resumed is told, and has ratios.
        failures = [f["text"] for f in result["failures"] if (f["cell"], f["query"]) == (cell, query)]
        complete = len(self.ratios) >= result["configuration"]["runs"]
        self.failed_before = failures if complete else []
        wrong = [v["text"] for v in verdicts if v.get("right") is False]
        self.fault = next(iter(wrong + ([] if complete else failures)), None)
        self.rows = next((v["rowsOfOurs"] for v in reversed(verdicts) if "rowsOfOurs" in v), None)
        self.compared = any("right" in v for v in verdicts)

    @property
    def counts(self):
        """A cell that failed has no ratio: a fast wrong answer is none."""
        return self.fault is None and bool(self.ratios)

    def median(self, side, value):
        values = [v for v in map(value, self.samples[side]) if v is not None]
        return statistics.median(values) if values else None


def millis(sample):
    return sample["millis"]


def checkpoint_millis(sample):
    times = sample["checkpoints"]["millis"]
    return statistics.mean(times) if times else None


def checkpoint_bytes(sample):
    written = sample["checkpoints"]["writtenBytes"]
    return statistics.mean(written) if written else None


def state_bytes(sample):
    return sample["checkpoints"]["lastStateBytes"]


def peak_bytes(sample):
    return sample.get("peakBytes")


def pairs_of(result):
    configuration = result["configuration"]
    return [Pair(result, cell, query) for cell in configuration["cells"] for query in configuration["queries"]]


def geomeans(result, pairs):
    """cell -> (geometric mean of the medians, least and greatest of those of the single runs, number of queries)."""
    means = {}
    for cell in result["configuration"]["cells"]:
        counted = [pair for pair in pairs if pair.cell == cell and pair.counts]
        if counted:
            runs = min(len(pair.ratios) for pair in counted)
            by_run = [statistics.geometric_mean([pair.ratios[run] for pair in counted]) for run in range(runs)]
            mean = statistics.geometric_mean([statistics.median(pair.ratios) for pair in counted])
            means[cell] = (mean, min(by_run), max(by_run), len(counted))
    return means


def number(value, digits=0, scale=1):
    return "–" if value is None else f"{value / scale:,.{digits}f}"


def summary(result, pairs):
    rows = [["cell", "stock", "ours", "queries", "geomean", "of single runs", "faster", "slower"]]
    means = geomeans(result, pairs)
    for cell in result["configuration"]["cells"]:
        counted = [pair for pair in pairs if pair.cell == cell and pair.counts]
        if not counted:
            rows.append([cell, "–", "–", "0", "–", "–", "–", "–"])
            continue
        mean, least, greatest, queries = means[cell]
        medians = [statistics.median(pair.ratios) for pair in counted]
        rows.append([
            cell, counted[0].backends[STOCK], counted[0].backends[OURS], str(queries), f"**{mean:.2f}**",
            f"{least:.2f}–{greatest:.2f}", str(sum(m > 1 for m in medians)), str(sum(m < 1 for m in medians)),
        ])
    return rows


def ratios(result, pairs):
    cells = result["configuration"]["cells"]
    rows = [["query", *cells]]
    for query in result["configuration"]["queries"]:
        row = [query]
        for pair in (pair for cell in cells for pair in pairs if (pair.cell, pair.query) == (cell, query)):
            if pair.fault:
                row.append("FAILED")
            elif not pair.ratios:
                row.append("–")
            else:
                row.append(f"{statistics.median(pair.ratios):.2f} ({min(pair.ratios):.2f}–{max(pair.ratios):.2f})")
        rows.append(row)
    return rows


def details(result, cell, pairs):
    events = result["configuration"]["events"]
    rows = [[
        "query", "rows", "seconds", "k events/s", "checkpoints", "ms each", "MiB written each", "MiB of state", "peak MiB",
    ]]
    for pair in pairs:
        if pair.cell != cell or not pair.ratios:
            continue

        def both(value, digits, scale=1):
            return " / ".join(number(pair.median(side, value), digits, scale) for side in SIDES)

        rows.append([
            pair.query, number(pair.rows), both(millis, 2, 1000),
            both(lambda sample: events / sample["millis"], 0),
            both(lambda sample: sample["checkpoints"]["completed"], 0), both(checkpoint_millis, 0),
            both(checkpoint_bytes, 2, MIB), both(state_bytes, 2, MIB), both(peak_bytes, 0, MIB),
        ])
    return rows


def sections(result, pairs):
    """(title, paragraphs, table, plot) of each part of both pages."""
    configuration, machine = result["configuration"], result["machine"]
    faults = [f"{pair.cell} {pair.query}: {pair.fault}" for pair in pairs if pair.fault]
    warnings = [f"**FAILED** {fault}" for fault in faults]
    warnings += [f"Failed before: {pair.cell} {pair.query}: {text}" for pair in pairs for text in pair.failed_before]
    if result["git"]["changedFiles"]:
        warnings.append(f"The tree had {result['git']['changedFiles']} changed files.")
    if result["library"]["profile"] != "release":
        warnings.append(f"The native library was a {result['library']['profile']} build: no figures.")
    if configuration["sink"] != "kafka":
        warnings.append("Results went nowhere and were not compared.")
    loads = [sample["loadBefore"] for sample in result["samples"]]
    about = [
        f"{configuration['events']:,} events at {configuration['rate']:g} a second of event time, seed {configuration['seed']}, "
        f"{configuration['partitions']} partitions; parallelism {configuration['parallelism']}, {configuration['taskManagers']} "
        f"TaskManager(s) of {configuration['taskManagerMemory']} with {configuration['managedMemory']} managed; a checkpoint every "
        f"{configuration['checkpointInterval']}, {'unaligned' if configuration['unaligned'] else 'aligned'}; "
        f"{configuration.get('operators', 'stock')} operators on our side; "
        f"{configuration['warmup']} warm-up and {configuration['runs']} counted runs of each pair.",
        f"{machine['processor']}, {machine['cores']} cores, {machine['memoryBytes'] / (1 << 30):.0f} GiB, {machine['os']}; Java "
        f"{result['java']['version']}; " + ", ".join(f"{name} {version}" for name, version in result["versions"].items())
        + f"; commit {result['git']['commit'][:12]}, library {result['library']['sha256'][:12]} ({result['library']['profile']}).",
        f"Load average before a job: {min(loads):.1f} to {max(loads):.1f}." if loads else "No samples.",
    ]
    parts = [("", warnings + about, None, None)]
    parts.append((
        "Ratios",
        ["Time of stock over ours, from submission until the last transaction is committed: more than 1 is faster. Median of the "
         "counted pairs, range in brackets; geometric means are of medians."],
        summary(result, pairs), None,
    ))
    parts.append(("By query", [], ratios(result, pairs), "ratios"))
    for cell in configuration["cells"]:
        table = details(result, cell, pairs)
        if len(table) > 1:
            parts.append((cell, ["stock / ours, medians; checkpoints: means within a run."], table, cell))
    return parts


def markdown(name, parts):
    text = [f"# Nexmark matrix {name}", "", f"Made by `bin/bench-report` from [{name}.json]({name}.json); plots in [{name}.html]({name}.html)."]
    for title, paragraphs, table, _ in parts:
        if title:
            text += ["", f"## {title}"]
        for paragraph in paragraphs:
            text += ["", paragraph]
        if table:
            text += ["", *(f"| {' | '.join(row)} |" for row in [table[0], ["---"] * len(table[0]), *table[1:]])]
    return "\n".join(text) + "\n"


def page(name, parts, plots):
    def inline(text):
        return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text))

    body = [f"<h1>Nexmark matrix {html.escape(name)}</h1>"]
    for title, paragraphs, table, plot in parts:
        if title:
            body.append(f"<h2>{html.escape(title)}</h2>")
        body += [f"<p>{inline(paragraph)}</p>" for paragraph in paragraphs]
        if plot:
            body.append(f'<img alt="{html.escape(title)}" src="{plots.get(plot, "data:")}">')
        if table:
            head = "".join(f"<th>{inline(cell)}</th>" for cell in table[0])
            rows = ["".join(f"<td>{inline(cell)}</td>" for cell in row) for row in table[1:]]
            body.append(f"<table><tr>{head}</tr>\n" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "</table>")
    style = (
        "body{font:15px sans-serif;margin:2em auto;max-width:75em}table{border-collapse:collapse}"
        "td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}td:first-child{text-align:left}img{max-width:100%}"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Nexmark matrix {html.escape(name)}</title>'
        f"<style>{style}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def image(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode()


def plot_ratios(plt, result, pairs):
    cells, queries = result["configuration"]["cells"], result["configuration"]["queries"]
    means = geomeans(result, pairs)
    figure, axes = plt.subplots(1, len(cells), figsize=(3.6 * len(cells), 1.2 + 0.28 * len(queries)), sharey=True, squeeze=False)
    for axis, cell in zip(axes[0], cells):
        for row, query in enumerate(queries):
            pair = next(pair for pair in pairs if (pair.cell, pair.query) == (cell, query))
            if pair.counts:
                middle = statistics.median(pair.ratios)
                error = [[middle - min(pair.ratios)], [max(pair.ratios) - middle]]
                axis.errorbar(middle, row, xerr=error, fmt="o", color=COLOURS[OURS], capsize=3, markersize=4)
            elif pair.fault:
                axis.text(1, row, "FAILED", color="#d62728", va="center", fontsize=8)
        axis.axvline(1, color="black", linewidth=0.8)
        title = cell
        if cell in means:
            axis.axvline(means[cell][0], color=COLOURS[OURS], linestyle="--", linewidth=1)
            title += f": geomean {means[cell][0]:.2f}"
        axis.set_title(title, fontsize=10)
        axis.set_yticks(range(len(queries)), queries)
        axis.grid(axis="x", alpha=0.3)
    axes[0][0].invert_yaxis()
    figure.suptitle("Time of stock over ours: median and range", fontsize=10)
    figure.tight_layout()
    return image(figure)


def plot_cell(plt, result, cell, pairs):
    events = result["configuration"]["events"]
    shown = [pair for pair in pairs if pair.cell == cell and pair.ratios]
    panels = [
        ("thousand events a second", lambda sample: events / sample["millis"]),
        ("checkpoint, ms end to end", checkpoint_millis),
        ("checkpoint, MiB written", lambda sample: (b := checkpoint_bytes(sample)) and b / MIB),
        ("greatest resident set of TaskManagers, MiB", lambda sample: (b := peak_bytes(sample)) and b / MIB),
    ]
    figure, axes = plt.subplots(len(panels), 1, figsize=(12, 2.3 * len(panels)), sharex=True)
    for axis, (title, value) in zip(axes, panels):
        for offset, side in ((-0.2, STOCK), (0.2, OURS)):
            axis.bar(
                [at + offset for at in range(len(shown))], [pair.median(side, value) or 0 for pair in shown], 0.38,
                color=COLOURS[side], alpha=0.5, label=shown[0].backends[side],
            )
            for at, pair in enumerate(shown):
                values = [v for v in map(value, pair.samples[side]) if v is not None]
                axis.scatter([at + offset] * len(values), values, color=COLOURS[side], s=8)
        axis.set_title(title, fontsize=9)
        axis.set_ylim(bottom=0)
    axes[0].legend(fontsize=8)
    axes[-1].set_xticks(range(len(shown)), [pair.query for pair in shown])
    figure.tight_layout()
    return image(figure)


def plots_of(name, result, pairs, parts):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = name  # the same page from the same result
    wanted = [plot for _, _, _, plot in parts if plot]
    plots = {cell: plot_cell(plt, result, cell, pairs) for cell in wanted if cell != "ratios"}
    plots["ratios"] = plot_ratios(plt, result, pairs)
    return plots


def verify(pages):
    """Prints what differs; 1 when something does."""
    differences = []
    for path, computed in pages.items():
        if not path.exists():
            differences.append(f"{path} is missing")
            continue
        there = IMAGE.sub('src=""', path.read_text(encoding="utf-8")).splitlines()
        computed = IMAGE.sub('src=""', computed).splitlines()
        differences += difflib.unified_diff(there, computed, str(path), "computed from the samples", lineterm="", n=0)
    print("\n".join(differences) if differences else "all published numbers are those of the samples")
    return 1 if differences else 0


def main(arguments):
    verifying = arguments[:1] == ["--verify"]
    arguments = arguments[verifying:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    source, directory = map(pathlib.Path, arguments)
    result = json.loads(source.read_text(encoding="utf-8"))
    pairs = pairs_of(result)
    parts = sections(result, pairs)
    name = source.stem
    plots = {} if verifying else plots_of(name, result, pairs, parts)
    pages = {
        directory / f"{name}.md": markdown(name, parts),
        directory / f"{name}.html": page(name, parts, plots),
    }
    if verifying:
        sys.exit(verify(pages))
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
