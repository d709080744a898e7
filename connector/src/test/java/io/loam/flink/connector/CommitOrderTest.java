package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.chain.ManifestChain;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.OffsetRange;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.runtime.operators.sink.CommitterOperatorFactory;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What Flink's committer operator makes of checkpoints that complete late, out of order or never.
 */
class CommitOrderTest {
    @TempDir Path directory;
    private WarehouseOptions options;
    private Warehouse warehouse;
    private CollectionHandle collection;
    private String base = "";
    private long offset;

    @BeforeEach
    void create() throws IOException {
        options = WarehouseOptions.local(directory.resolve("warehouse"));
        warehouse = Warehouse.openOrCreate(options);
        CollectionInfo info =
                warehouse
                        .metastore()
                        .createCollection("default", "docs", SampleSchema.get(), 1, "topic");
        collection = warehouse.open(info.id());
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
        warehouse.close();
    }

    /** Committer of one attempt of a job. */
    private final class Attempt implements AutoCloseable {
        private final OneInputStreamOperatorTestHarness<
                        CommittableMessage<CollectionCommittable>,
                        CommittableMessage<CollectionCommittable>>
                harness;
        private final Ulid incarnation;

        Attempt(@Nullable OperatorSubtaskState state, long restored) throws Exception {
            CollectionSink sink =
                    CollectionSink.builder()
                            .warehouse(options)
                            .collection("default", "docs")
                            .build();
            incarnation = sink.incarnation();
            harness =
                    new OneInputStreamOperatorTestHarness<>(
                            new CommitterOperatorFactory<>(sink, false, true));
            if (state != null) {
                harness.setRestoredCheckpointId(restored);
                harness.initializeState(state);
            }
            harness.open();
        }

        /** A checkpoint of one more record reaches the committer, and is part of its state. */
        OperatorSubtaskState checkpoint(long id) throws Exception {
            CollectionCommittable committable =
                    new CollectionCommittable(
                            UUID.randomUUID().toString(),
                            base,
                            incarnation,
                            id,
                            CommitMode.STREAM,
                            "writer",
                            "job",
                            1,
                            List.of(),
                            Map.of(0, new OffsetRange(offset, offset + 1, 0)));
            base = committable.commitId();
            offset++;
            harness.processElement(new CommittableSummary<>(0, 1, id, 1, 0), 0);
            harness.processElement(new CommittableWithLineage<>(committable, id, 0), 0);
            return harness.snapshot(id, 0);
        }

        void complete(long id) throws Exception {
            harness.notifyOfCompletedCheckpoint(id);
        }

        @Override
        public void close() throws Exception {
            harness.getOneInputOperator().close();
        }
    }

    private CollectionManifest live() throws IOException {
        return collection.live().manifest();
    }

    /** Checkpoints of the versions, oldest first. */
    private List<String> published() throws IOException {
        List<String> checkpoints = new ArrayList<>();
        for (ManifestChain.Link link : ManifestChain.of(collection).retained()) {
            checkpoints.add(link.manifest().properties().get(ManifestProperties.CHECKPOINT));
        }
        Collections.reverse(checkpoints);
        return checkpoints;
    }

    @Test
    void nothingIsPublishedBeforeItsCheckpointIsComplete() throws Exception {
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            assertThat(published()).isEmpty();
            attempt.complete(1);
            assertThat(published()).containsExactly("1");
            assertThat(live().applied()).containsEntry(0, 1L);
        }
    }

    @Test
    void aLostNotificationIsCaughtUpInOrder() throws Exception {
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            attempt.checkpoint(2);
            attempt.checkpoint(3);
            attempt.complete(3);
            assertThat(published()).containsExactly("1", "2", "3");
        }
    }

    @Test
    void aNotificationThatComesLateOrTwiceDoesNothing() throws Exception {
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            attempt.checkpoint(2);
            attempt.complete(2);
            attempt.complete(1);
            attempt.complete(2);
            assertThat(published()).containsExactly("1", "2");
        }
    }

    @Test
    void whatAnAbortedCheckpointBroughtGoesWithTheNext() throws Exception {
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            attempt.harness.getOneInputOperator().notifyCheckpointAborted(1);
            assertThat(published()).isEmpty();
            attempt.checkpoint(2);
            attempt.complete(2);
            assertThat(published()).containsExactly("1", "2");
            assertThat(live().applied()).containsEntry(0, 2L);
        }
    }

    @Test
    void aCheckpointThatOvertakesTheNextLeavesThatPending() throws Exception {
        OperatorSubtaskState state;
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            state = attempt.checkpoint(2); // in flight when the first completes
            attempt.complete(1);
            assertThat(published()).containsExactly("1");
        }
        try (Attempt restored = new Attempt(state, 2)) {
            assertThat(published()).containsExactly("1", "2");
        }
    }

    @Test
    void whatWasPublishedBeforeACrashIsRecognised() throws Exception {
        OperatorSubtaskState state;
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            state = attempt.checkpoint(2);
            attempt.complete(2);
        }
        for (int restart = 0; restart < 2; restart++) {
            try (Attempt restored = new Attempt(state, 2)) {
                assertThat(published()).containsExactly("1", "2");
            }
        }
        try (Attempt restored = new Attempt(state, 2)) {
            restored.checkpoint(3);
            restored.complete(3);
            assertThat(published()).containsExactly("1", "2", "3");
        }
    }

    @Test
    void theFinalCheckpointPublishesWhatCameAtTheEndOfInput() throws Exception {
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            attempt.complete(1);
            attempt.checkpoint(2);
            attempt.harness.endInput();
            attempt.harness.snapshot(3, 0);
            attempt.complete(3);
            assertThat(published()).containsExactly("1", "2");
        }
    }

    @Test
    void pendingStateOfAnotherTimelineEndsTheJob() throws Exception {
        OperatorSubtaskState state;
        try (Attempt attempt = new Attempt(null, 0)) {
            attempt.checkpoint(1);
            state = attempt.checkpoint(2);
        }
        base = "";
        offset = 0;
        try (Attempt other = new Attempt(null, 0)) {
            other.checkpoint(1);
            other.complete(1);
        }
        assertThatThrownBy(() -> new Attempt(state, 2))
                .isInstanceOf(SuppressRestartsException.class)
                .cause()
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("Not published: offsets p0 1..2");
    }
}
