package io.streamfusion.nexmark.quickstart;

import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Metrics of the running jobs, summed over subtasks. A reporter inside the JVM: Flink's REST API
 * would answer with values that are up to ten seconds old. Thread-safe.
 */
public final class JobTap implements MetricReporter {
    /** Option of the reporter that says which tap of this JVM it is. */
    static final String ID = "tap";

    private static final Map<String, JobTap> OPEN = new ConcurrentHashMap<>();
    private static final String JOB_ID = "<job_id>";

    private final String id;
    private final Map<Metric, Name> counters = new ConcurrentHashMap<>();
    private final Map<Metric, Name> gauges = new ConcurrentHashMap<>();

    private record Name(String jobId, String metric) {}

    private JobTap(String id) {
        this.id = id;
    }

    /** A tap that a cluster finds by this id until Flink closes it. */
    static JobTap open(String id) {
        JobTap tap = new JobTap(id);
        OPEN.put(id, tap);
        return tap;
    }

    /** Named in Flink's configuration; finds the tap that the program has opened. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            JobTap tap = OPEN.get(properties.getProperty(ID));
            if (tap == null) {
                throw new IllegalStateException("no tap is open in this JVM: " + properties);
            }
            return tap;
        }
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {
        OPEN.remove(id);
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        String jobId = group.getAllVariables().get(JOB_ID);
        if (jobId == null) {
            return;
        }
        if (metric instanceof Counter) {
            counters.put(metric, new Name(jobId, name));
        } else if (metric instanceof Gauge<?>) {
            gauges.put(metric, new Name(jobId, name));
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        // A finished task's counters still belong to the job's total; forget() drops them.
        gauges.remove(metric);
    }

    /** Drops what belongs to a job that has ended. */
    void forget(String jobId) {
        counters.values().removeIf(name -> name.jobId().equals(jobId));
        gauges.values().removeIf(name -> name.jobId().equals(jobId));
    }

    /** Sum of a counter over the subtasks of a job, the finished ones included. */
    long count(String jobId, String metric) {
        return counters.entrySet().stream()
                .filter(entry -> entry.getValue().equals(new Name(jobId, metric)))
                .mapToLong(entry -> ((Counter) entry.getKey()).getCount())
                .sum();
    }

    /** Sum of gauges over the running subtasks of a job; empty when there is none. */
    OptionalLong gauge(String jobId, Collection<String> metrics) {
        return gauges.entrySet().stream()
                .filter(entry -> entry.getValue().jobId().equals(jobId))
                .filter(entry -> metrics.contains(entry.getValue().metric()))
                .map(entry -> ((Gauge<?>) entry.getKey()).getValue())
                .filter(Number.class::isInstance)
                .mapToLong(value -> ((Number) value).longValue())
                .reduce(Long::sum);
    }
}
