package io.streamfusion.matrix;

import io.streamfusion.cluster.ClusterException;
import io.streamfusion.cluster.Surroundings;
import io.streamfusion.matrix.Cell.Side;
import io.streamfusion.matrix.job.ClusterPair;
import io.streamfusion.matrix.job.FlinkBuild;
import io.streamfusion.matrix.job.JobOutcome;
import io.streamfusion.matrix.job.SideCluster;
import io.streamfusion.matrix.kafka.BrokerException;
import io.streamfusion.matrix.kafka.CommittedTopic;
import io.streamfusion.matrix.kafka.KafkaBroker;
import io.streamfusion.matrix.kafka.Tables;
import io.streamfusion.matrix.kafka.Topics;
import io.streamfusion.matrix.result.SampleFile;
import io.streamfusion.matrix.verify.OutputCheck;
import io.streamfusion.matrix.verify.OutputReader;
import io.streamfusion.nexmark.query.NexmarkQuery;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.util.FileUtils;

/**
 * Runs the pairs of a matrix that the samples' file does not have yet. Both sides are up at the
 * same time and work in turn, each first every other time.
 */
final class Matrix {
    private static final double MILLIS = 1e3;
    private static final long BYTES_OF_A_FULL_DISK = 4 << 20;

    private final ObjectMapper json = new ObjectMapper();
    private final MatrixOptions options;
    private final FlinkBuild build;
    private final KafkaBroker broker;
    private final Topics topics;
    private final CommittedTopic committed;
    private final OutputCheck check;
    private final SampleFile samples;
    private final Path scratch;
    private final PrintStream out;

    // Names of topics and prefixes of transactions must be new to a broker that has seen others.
    private final String stamp = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    private int jobs;
    private int faults;

    /**
     * @param folder of this run: for what clusters write, and for outputs that differ
     */
    Matrix(
            MatrixOptions options,
            FlinkBuild build,
            KafkaBroker broker,
            Topics topics,
            SampleFile samples,
            Path folder,
            PrintStream out) {
        this.options = options;
        this.build = build;
        this.broker = broker;
        this.topics = topics;
        this.samples = samples;
        this.out = out;
        scratch = folder.resolve("clusters");
        committed = new CommittedTopic(broker, topics);
        check =
                new OutputCheck(
                        new OutputReader(committed),
                        options.corpus(),
                        options.dataSet(),
                        folder.resolve("mismatches"));
    }

    /** One side of a pair, done. */
    private record Ran(JobOutcome outcome, String topic) {}

    /**
     * Runs what is missing.
     *
     * @return how many pairs were wrong or failed
     * @throws BrokerException when the broker is gone: then nothing more can be run
     */
    int run() throws IOException {
        for (Cell cell : options.cells()) {
            List<NexmarkQuery> rest =
                    options.queries().stream().filter(q -> !missing(cell, q).isEmpty()).toList();
            while (!rest.isEmpty()) {
                rest = rest.subList(runUntilFailure(cell, rest), rest.size());
            }
        }
        return faults;
    }

    /**
     * Runs queries on one pair of clusters.
     *
     * @return how many there were: all, or those up to one that failed, whose clusters are not used
     *     again
     */
    private int runUntilFailure(Cell cell, List<NexmarkQuery> queries) throws IOException {
        Path folder = scratch.resolve("%s-%s-%d".formatted(stamp, cell, ++jobs));
        int begun = 0;
        try (ClusterPair clusters =
                new ClusterPair(
                        build,
                        cell.backend(Side.STOCK),
                        cell.backend(Side.OURS),
                        options.nativeSql(),
                        options.cluster(),
                        folder)) {
            clusters.start();
            for (NexmarkQuery query : queries) {
                begun++;
                clusters.renewTaskManagers();
                runPairs(cell, query, clusters);
            }
        } catch (BrokerException e) {
            throw e;
        } catch (MatrixException | ClusterException | UncheckedIOException e) {
            broker.requireAlive();
            if (isFull(folder, e)) {
                throw new MatrixException("the disk of " + folder + " is full", e);
            }
            if (begun == 0) {
                throw e;
            }
            fail(cell, queries.get(begun - 1), e);
            return begun; // the logs of the clusters stay
        }
        FileUtils.deleteDirectory(folder.toFile());
        return begun;
    }

    /** Processes that could not write seldom say why, and may have given some of it back. */
    private static boolean isFull(Path folder, RuntimeException e) throws IOException {
        return String.valueOf(e.getMessage()).contains("No space left on device")
                || Files.getFileStore(folder).getUsableSpace() < BYTES_OF_A_FULL_DISK;
    }

    private void runPairs(Cell cell, NexmarkQuery query, ClusterPair clusters) throws IOException {
        List<Integer> runs = new ArrayList<>();
        IntStream.rangeClosed(1 - options.warmup(), 0).forEach(runs::add);
        runs.addAll(missing(cell, query));
        for (int run : runs) {
            runPair(cell, query, run, clusters);
        }
    }

    /** Runs that are counted, from 1 on, and do not have a verdict yet. */
    private List<Integer> missing(Cell cell, NexmarkQuery query) {
        Set<Integer> done =
                samples.all("verdict").stream()
                        .filter(
                                v ->
                                        v.get("cell").asText().equals(cell.toString())
                                                && v.get("query").asText().equals(query.name()))
                        .map(v -> v.get("run").asInt())
                        .collect(Collectors.toSet());
        return IntStream.rangeClosed(1, options.runs())
                .boxed()
                .filter(run -> !done.contains(run))
                .toList();
    }

    private void runPair(Cell cell, NexmarkQuery query, int run, ClusterPair clusters)
            throws IOException {
        String pair = "%s/%s/%d#%s".formatted(cell, query.name(), run, stamp);
        // Each side first every other time, from run to run and from query to query.
        int turn = run + options.queries().indexOf(query);
        List<Side> order = turn % 2 == 0 ? List.of(Side.OURS, Side.STOCK) : List.of(Side.values());
        Map<Side, Ran> ran = new EnumMap<>(Side.class);
        for (Side side : order) {
            double load = Surroundings.load();
            Ran one =
                    runJob(
                            cell,
                            query,
                            run,
                            side,
                            side == Side.STOCK ? clusters.stock() : clusters.ours());
            ran.put(side, one);
            samples.add("sample", sample(pair, cell, query, run, side, load, one.outcome()));
            if (samples.all("plan").stream().noneMatch(p -> of(p, cell, query, side))) {
                ObjectNode plan = labels(cell, query);
                plan.put("side", side.toString()).put("text", one.outcome().plan());
                samples.add("plan", plan);
            }
        }
        Ran stock = ran.get(Side.STOCK);
        Ran ours = ran.get(Side.OURS);
        ObjectNode verdict = labels(cell, query).put("pair", pair).put("run", run);
        String text = "outputs are not compared";
        if (options.kafkaSink()) {
            OutputCheck.Verdict found =
                    check.compare(query, output(pair, "stock", stock), output(pair, "ours", ours));
            verdict.put("right", found.right())
                    .put("rowsOfStock", found.rowsOfStock())
                    .put("rowsOfOurs", found.rowsOfOurs());
            text = found.text();
            faults += found.right() ? 0 : 1;
            topics.delete(List.of(stock.topic(), ours.topic()));
        }
        verdict.put("text", text);
        samples.add("verdict", verdict);
        tell(cell, query, run, stock, ours, text);
    }

    private static boolean of(JsonNode line, Cell cell, NexmarkQuery query, Side side) {
        return line.get("cell").asText().equals(cell.toString())
                && line.get("query").asText().equals(query.name())
                && line.get("side").asText().equals(side.toString());
    }

    private Ran runJob(Cell cell, NexmarkQuery query, int run, Side side, SideCluster cluster)
            throws IOException {
        String topic = "out-%s-%s-%s-%s-%d".formatted(stamp, cell, query.name(), side, ++jobs);
        Map<String, String> tables;
        if (options.kafkaSink()) {
            topics.create(topic, options.parallelism());
            tables = Tables.kafka(broker, options.corpus().topic(), topic);
        } else {
            tables = Tables.blackhole(broker, options.corpus().topic());
        }
        String name = "%s %s on %s, run %d".formatted(cell, query.name(), cluster.backend(), run);
        JobOutcome outcome =
                cluster.await(
                        cluster.submit(query, name, options.job(cell), tables),
                        broker::requireAlive);
        if (options.kafkaSink()) {
            committed.awaitNoOpenTransaction(topic);
        }
        return new Ran(outcome, topic);
    }

    private static OutputCheck.Side output(String pair, String side, Ran ran) {
        String name = pair.replace('/', '-').replace('#', '-') + "-" + side;
        return new OutputCheck.Side(name, ran.topic(), ran.outcome().schema());
    }

    private ObjectNode labels(Cell cell, NexmarkQuery query) {
        return json.createObjectNode().put("cell", cell.toString()).put("query", query.name());
    }

    private ObjectNode sample(
            String pair,
            Cell cell,
            NexmarkQuery query,
            int run,
            Side side,
            double load,
            JobOutcome outcome) {
        ObjectNode sample =
                labels(cell, query)
                        .put("pair", pair)
                        .put("run", run)
                        .put("warmup", run < 1)
                        .put("side", side.toString())
                        .put("backend", cell.backend(side))
                        .put("ended", Instant.now().toString())
                        .put("jobId", outcome.jobId())
                        .put("millis", outcome.millis())
                        .put("hosts", outcome.hosts())
                        .put("loadBefore", load);
        outcome.peakBytes().ifPresent(bytes -> sample.put("peakBytes", bytes));
        sample.set("checkpoints", json.valueToTree(outcome.checkpoints()));
        return sample;
    }

    private void fail(Cell cell, NexmarkQuery query, RuntimeException e) throws IOException {
        faults++;
        samples.add("failure", labels(cell, query).put("text", e.getMessage()));
        out.printf("%-10s %-3s FAILED: %s%n", cell, query.name(), e.getMessage());
    }

    private void tell(Cell cell, NexmarkQuery query, int run, Ran stock, Ran ours, String verdict) {
        out.printf(
                Locale.ROOT,
                "%-10s %-3s %s  %s %.2f s, %s %.2f s, ratio %.2f; %s%n",
                cell,
                query.name(),
                run < 1 ? "warm-up " : "run %d/%d".formatted(run, options.runs()),
                cell.backend(Side.STOCK),
                stock.outcome().millis() / MILLIS,
                cell.backend(Side.OURS),
                ours.outcome().millis() / MILLIS,
                (double) stock.outcome().millis() / ours.outcome().millis(),
                verdict);
    }
}
