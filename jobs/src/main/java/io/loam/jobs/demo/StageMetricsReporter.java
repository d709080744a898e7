package io.loam.jobs.demo;

import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the gauges of the embedded job where the demo can read them. Flink makes reporters by
 * itself, so the gauges are static; one embedded cluster a JVM is all the demo runs.
 */
public final class StageMetricsReporter implements MetricReporter {
    private static final Map<Metric, String> GAUGES = new ConcurrentHashMap<>();
    private static final Map<String, Long> FINISHED = new ConcurrentHashMap<>();

    /** Found by Flink through its service file. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(java.util.Properties properties) {
            return new StageMetricsReporter();
        }
    }

    /** The sum of a gauge over all subtasks, ended ones included. */
    static long sum(String name) {
        long sum = FINISHED.getOrDefault(name, 0L);
        for (Map.Entry<Metric, String> entry : GAUGES.entrySet()) {
            if (entry.getValue().equals(name)) {
                sum += value(entry.getKey());
            }
        }
        return sum;
    }

    private static long value(Metric metric) {
        Object value = ((Gauge<?>) metric).getValue();
        return value instanceof Number ? ((Number) value).longValue() : 0;
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        if (metric instanceof Gauge && name.endsWith("Ms")) {
            GAUGES.put(metric, name);
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        if (GAUGES.remove(metric) != null) {
            FINISHED.merge(name, value(metric), Long::sum);
        }
    }
}
