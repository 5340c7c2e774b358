"""Plots of one result file of bin/bench-state: every sample, and the ratios beside their bars.

usage: plot_bench.py RESULT.json DIRECTORY
Writes RESULT-times.svg, RESULT-ratios.svg (of streamfusion-memory) and RESULT-ratios-paimon.svg (of streamfusion-paimon).
Of what was not measured there is no plot.
"""

import json
import pathlib
import statistics
import sys
import textwrap
from collections import defaultdict

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullLocator

MEMORY, PAIMON = OURS = ("streamfusion-memory", "streamfusion-paimon")
COLOURS = {"hashmap": "#7f7f7f", "rocksdb": "#d62728", "forst": "#ff7f0e", MEMORY: "#1f77b4", PAIMON: "#2ca02c"}


def colour(backend):
    return COLOURS.get(backend, "#9467bd")


def backends_of(runs):
    """Our backends last."""
    names = {run["backend"] for run in runs}
    return sorted(names - set(OURS)) + sorted(names & set(OURS))


def plot_times(result, path):
    """One panel a case: all samples of each backend, a bar at the median of each."""
    cases = [case for case in result["cases"] if any(r["case"] == case["id"] for r in result["runs"])]
    columns = min(3, len(cases))
    rows = -(-len(cases) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.0 * rows), squeeze=False)
    for axis in axes.flat[len(cases):]:
        axis.set_visible(False)
    for axis, case in zip(axes.flat, cases):
        runs = [run for run in result["runs"] if run["case"] == case["id"]]
        names = backends_of(runs)
        for position, name in enumerate(names):
            samples = [s for run in runs if run["backend"] == name for s in run["samples"]]
            axis.bar(position, statistics.median(samples), color=colour(name), alpha=0.35, width=0.7)
            axis.scatter([position] * len(samples), samples, color=colour(name), s=12, alpha=0.8)
        axis.set_xticks(range(len(names)), [name.replace("streamfusion-", "sf-") for name in names])
        axis.set_ylim(bottom=0)
        axis.set_ylabel(runs[0]["unit"])
        axis.set_title(textwrap.fill(case["title"], 46), fontsize=9)
    figure.suptitle("Every sample; bars are medians; less is better", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def compared_samples(result, run):
    """What the ratios of the run's case are of: times, unless the case says otherwise."""
    value = next(case for case in result["cases"] if case["id"] == run["case"]).get("ratioOf", "time")
    return run["samples"] if value == "time" else run["secondary"][value]


def ratios_by_case(result, ours):
    """(case, rival) -> one ratio of medians for each round that has both."""
    medians = {
        (run["case"], run["backend"], run["round"]): statistics.median(compared_samples(result, run))
        for run in result["runs"]
    }
    ratios = defaultdict(list)
    for (case, backend, round_), value in sorted(medians.items()):
        our_value = medians.get((case, ours, round_))
        if backend not in OURS and our_value is not None:
            ratios[case, backend].append(value / our_value)
    return ratios


def plot_ratios(result, ours, path):
    """How many times faster we are, on a log axis, with the range over the rounds and the bars asked for."""
    ratios = ratios_by_case(result, ours)
    cases = [case for case in result["cases"] if any(key[0] == case["id"] for key in ratios)]
    if not cases:
        return
    rivals = sorted({rival for _, rival in ratios})
    height = 0.8 / len(rivals)
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.6 * len(cases)))
    for number, rival in enumerate(rivals):
        first = True
        for row, case in enumerate(cases):
            values = ratios.get((case["id"], rival))
            if not values:
                continue
            y = row + (number - (len(rivals) - 1) / 2) * height
            middle = statistics.median(values)
            error = [[middle - min(values)], [max(values) - middle]]
            axis.errorbar(
                middle, y, xerr=error, fmt="o", color=colour(rival), capsize=3,
                label=f"against {rival}" if first else None,
            )
            first = False
            bar = case["minRatio"].get(rival)
            if bar is not None and ours in case.get("barsFor", [MEMORY]):
                axis.plot([bar, bar], [y - height / 2, y + height / 2], color=colour(rival), linewidth=2)
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_yticks(range(len(cases)), [textwrap.fill(case["title"], 60) for case in cases], fontsize=8)
    axis.invert_yaxis()
    axis.legend(fontsize=8)
    axis.set_title(f"Rival's time over {ours}'s: median and range over rounds; strokes: bars asked for", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(arguments[0])
    directory = pathlib.Path(arguments[1])
    result = json.loads(source.read_text(encoding="utf-8"))
    plt.rcParams["svg.hashsalt"] = source.stem  # the same file from the same result
    plot_times(result, directory / f"{source.stem}-times.svg")
    plot_ratios(result, MEMORY, directory / f"{source.stem}-ratios.svg")
    plot_ratios(result, PAIMON, directory / f"{source.stem}-ratios-paimon.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
