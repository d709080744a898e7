package io.loam.bench.job;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long the subtasks of this process took to rebuild their key index, by the gauge they have.
 * Flink makes reporters by itself, so the gauges are static.
 */
public final class RebuildTimes implements MetricReporter {
    private static final String GAUGE = "rebuildMs";
    private static final Set<Gauge<?>> GAUGES = ConcurrentHashMap.newKeySet();

    /** Found by Flink through its service file. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new RebuildTimes();
        }
    }

    static void addTo(Configuration config) {
        config.setString("metrics.reporters", "rebuild");
        config.setString("metrics.reporter.rebuild.factory.class", Factory.class.getName());
    }

    /** The longest of all subtasks. */
    static double longestMs() {
        return GAUGES.stream()
                .mapToDouble(gauge -> ((Number) gauge.getValue()).doubleValue())
                .max()
                .orElseThrow(() -> new IllegalStateException("no job has a gauge " + GAUGE));
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        if (metric instanceof Gauge && name.equals(GAUGE)) {
            GAUGES.add((Gauge<?>) metric);
        }
    }

    /** A gauge keeps its value when its task has ended. */
    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}
}
