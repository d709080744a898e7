package io.loam.flink.connector;

import io.loam.store.verify.LogReader;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * One Flink cluster and one broker in this JVM, started by the first test class that asks for them
 * and stopped after the last.
 */
public final class SharedCluster
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
    private static final int SLOTS = 10;
    private static volatile Started started;

    /** What runs. */
    private static final class Started implements AutoCloseable {
        private final ExtensionContext context;
        private final MiniClusterExtension cluster;
        private final EmbeddedBroker broker;

        Started(ExtensionContext context) throws Exception {
            this.context = context;
            Configuration config = new Configuration();
            config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
            // A busy machine is no reason to take a call or a task manager for lost.
            config.setString("pekko.ask.timeout", "5 min");
            config.setString("heartbeat.timeout", "5 min");
            JobMetrics.addTo(config);
            cluster =
                    new MiniClusterExtension(
                            new MiniClusterResourceConfiguration.Builder()
                                    .setNumberTaskManagers(1)
                                    .setNumberSlotsPerTaskManager(SLOTS)
                                    .setConfiguration(config)
                                    .build());
            cluster.beforeAll(context);
            broker = new EmbeddedBroker();
        }

        @Override
        public void close() throws Exception {
            try (broker) {
                cluster.afterAll(context);
            }
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        started =
                context.getRoot()
                        .getStore(Namespace.create(SharedCluster.class))
                        .getOrComputeIfAbsent(
                                Started.class, key -> start(context.getRoot()), Started.class);
    }

    private static Started start(ExtensionContext context) {
        try {
            return new Started(context);
        } catch (Exception e) {
            throw new IllegalStateException("cluster or broker did not start", e);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        started.cluster.beforeEach(context);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        started.cluster.afterEach(context);
    }

    static EmbeddedBroker broker() {
        return started.broker;
    }

    /** Where the broker listens. */
    public static String brokers() {
        return started.broker.servers();
    }

    public static void createTopic(String topic, int partitions) throws Exception {
        started.broker.createTopic(topic, partitions);
    }

    /** The log of a collection, to verify it by. */
    public static LogReader log(String topic) throws Exception {
        return started.broker.log(topic);
    }
}
