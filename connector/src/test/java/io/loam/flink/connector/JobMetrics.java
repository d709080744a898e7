package io.loam.flink.connector;

import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Numbers that jobs report, ended jobs included. Of a task that has ended the last value is kept
 * and not the metric, which holds on to the operator and its state.
 */
final class JobMetrics implements MetricReporter {
    private static final JobMetrics INSTANCE = new JobMetrics();
    private static final String JOB = "<job_id>";

    private final Map<String, List<Reading>> readings = new ConcurrentHashMap<>();

    private JobMetrics() {}

    /** Makes the reporter of all clusters in this JVM. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return INSTANCE;
        }
    }

    private static final class Reading {
        @Nullable private Metric metric;
        private long last;

        Reading(Metric metric) {
            this.metric = metric;
        }

        long value() {
            return metric == null ? last : valueOf(metric);
        }

        void end() {
            last = value();
            metric = null;
        }
    }

    static void addTo(Configuration cluster) {
        MetricOptions.forReporter(cluster, "tests")
                .set(MetricOptions.REPORTER_FACTORY_CLASS, Factory.class.getName());
    }

    /** Sum of a metric over all subtasks and attempts of a job. */
    static long sum(JobID job, String name) {
        List<Reading> found =
                INSTANCE.readings.getOrDefault(key(job.toHexString(), name), List.of());
        synchronized (found) {
            return found.stream().mapToLong(Reading::value).sum();
        }
    }

    private static String key(String job, String name) {
        return job + "." + name;
    }

    private static long valueOf(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        return metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number
                ? number.longValue()
                : 0;
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        String job = group.getAllVariables().get(JOB);
        if (job != null && (metric instanceof Counter || metric instanceof Gauge)) {
            List<Reading> same = readings.computeIfAbsent(key(job, name), any -> new ArrayList<>());
            synchronized (same) {
                same.add(new Reading(metric));
            }
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        List<Reading> same =
                readings.getOrDefault(key(group.getAllVariables().get(JOB), name), List.of());
        synchronized (same) {
            same.stream().filter(reading -> reading.metric == metric).forEach(Reading::end);
        }
    }
}
