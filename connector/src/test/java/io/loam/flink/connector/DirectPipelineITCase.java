package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.flink.connector.DataStreamExample.Product;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.verify.ExpectedRow;
import io.loam.store.verify.Verifier;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** From changes without offsets to verified collections. */
class DirectPipelineITCase extends DirectTestBase {
    @Test
    void aFailureLosesAndDoublesNothing() throws Exception {
        send(workload.upserts(400));
        FailOnce.arm();
        JobClient job = start(job());
        awaitApplied();
        FailOnce.awaitDue();
        apply(workload.changes(400)); // the failure comes with one of these
        apply(workload.changes(200));
        assertThat(FailOnce.failures()).isEqualTo(1);
        played(0, written());
        stopAndCheck(job, "a task fails, restart from the newest checkpoint");
    }

    @Test
    void aCollectionTakesOneModeOnly() throws Exception {
        CollectionSink stream = builder().build();
        send(workload.upserts(50));
        JobClient job = start(job());
        awaitApplied();
        stop(job, false);
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("collection default.docs was first written in DIRECT mode");
        // A sink that was built before the first commit finds out when it opens.
        StreamExecutionEnvironment env = job().environment();
        stream.addTo(job().elements(env)).setParallelism(2);
        assertThatThrownBy(() -> env.execute("late"))
                .rootCause()
                .hasMessageContaining("takes no writer in STREAM mode; set loam.sink.mode=DIRECT");
    }

    @Test
    void aStreamSinkTakesNoChanges() throws Exception {
        send(workload.upserts(1));
        StreamExecutionEnvironment env = job().environment();
        builder().build().addTo(job().elements(env)).setParallelism(2);
        assertThatThrownBy(() -> env.execute("changes"))
                .rootCause()
                .hasMessageContaining("a sink in STREAM mode takes no Change")
                .hasMessageContaining("loam.sink.mode=DIRECT");
    }

    private CollectionSinkBuilder builder() {
        return CollectionSink.builder().warehouse(warehouse).collection("default", "docs");
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws Exception {
        theExampleRunsIn(RuntimeExecutionMode.STREAMING);
        theExampleRunsIn(RuntimeExecutionMode.BATCH);
    }

    private void theExampleRunsIn(RuntimeExecutionMode mode) throws Exception {
        WarehouseOptions fresh = WarehouseOptions.local(directory.resolve(mode.name()));
        Document chair =
                new Document(
                        PrimaryKey.ofString("b"),
                        Json.parseObject(
                                "{\"title\":\"a chair\"}".getBytes(StandardCharsets.UTF_8)),
                        Map.of(),
                        Map.of());
        try (Warehouse opened = Warehouse.openOrCreate(fresh)) {
            CollectionInfo products =
                    opened.metastore()
                            .createCollection("default", "products", SampleSchema.get(), 4, null);
            StreamExecutionEnvironment env =
                    job().set(ExecutionOptions.RUNTIME_MODE, mode).environment();
            DataStreamExample.write(
                    env.fromData(
                                    new Product("a", "{\"title\":\"a lamp\"}", false),
                                    new Product("b", "{\"title\":\"a chair\"}", false),
                                    new Product("a", "", true))
                            .setParallelism(1),
                    fresh);
            env.execute("example");
            Map<PrimaryKey, ExpectedRow> expected = Map.of(chair.key(), ExpectedRow.of(chair));
            try (CollectionHandle written = opened.open(products.id())) {
                assertThat(Verifier.againstModel(written, expected).violations()).isEmpty();
            }
        }
    }
}
