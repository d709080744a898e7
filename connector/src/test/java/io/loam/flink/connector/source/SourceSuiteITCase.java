package io.loam.flink.connector.source;

import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Timeout;

/** Flink's own test suite for sources: of rows where it is bounded, else of changes. */
@Timeout(1800) // the suite's waits have no end
class SourceSuiteITCase extends SourceTestSuiteBase<String> {
    @TestSemantics final CheckpointingMode[] semantics = {CheckpointingMode.EXACTLY_ONCE};

    @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

    @TestContext
    final ExternalContextFactory<SourceSuiteContext> context = name -> new SourceSuiteContext();
}
