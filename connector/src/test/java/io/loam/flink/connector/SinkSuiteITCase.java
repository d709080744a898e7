package io.loam.flink.connector;

import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SinkTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.operators.collect.CollectResultIterator;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;

/** Flink's own test suite for sinks, on a collection in direct mode. */
@Timeout(1800) // the suite's waits have no end
class SinkSuiteITCase extends SinkTestSuiteBase<String> {
    private static final Duration NEVER = Duration.ofDays(1);

    @TestSemantics final CheckpointingMode[] semantics = {CheckpointingMode.EXACTLY_ONCE};

    @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

    @TestContext
    final ExternalContextFactory<SinkSuiteContext> context = name -> new SinkSuiteContext();

    /**
     * The suite does not enable checkpoints for jobs that it stops by a savepoint, which the sink
     * refuses. Here they are enabled, but never due: the suite's source plays the other half of the
     * data after the first one, which has to be the savepoint. The pause is for Flink, which starts
     * its schedule twice, and the second time waits for no more than the pause.
     */
    @Override
    protected CollectResultIterator<String> addCollectSink(DataStream<String> stream) {
        // Before checkpoints are enabled: what the iterator returns would wait for them.
        CollectResultIterator<String> passing = super.addCollectSink(stream);
        CheckpointConfig checkpoints = stream.getExecutionEnvironment().getCheckpointConfig();
        if (!checkpoints.isCheckpointingEnabled()) {
            checkpoints.setCheckpointInterval(NEVER.toMillis());
            checkpoints.setMinPauseBetweenCheckpoints(NEVER.toMillis());
        }
        return passing;
    }
}
