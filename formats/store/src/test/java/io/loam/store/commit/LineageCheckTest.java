package io.loam.store.commit;

import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LineageCheckTest {
    private static final long MANY = 1L << 60;

    @TempDir Path dir;
    private TestCollection collection;
    private String first;
    private String second;

    /** Two commits, two records of partition 0 applied. */
    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 1);
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        first = commit(writer);
        collection.upsert(2, "{}");
        second = commit(writer);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private String commit(TestWriter writer) throws IOException {
        CollectionCommittable committable = writer.checkpoint(1);
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            committer.commit(committable, false);
        }
        return committable.commitId();
    }

    private void check(List<String> lineage, Map<Integer, Long> offsets, long rowIdEnd)
            throws IOException {
        try (CollectionHandle handle = collection.open()) {
            LineageCheck.requireNotAhead(ManifestChain.of(handle), lineage, offsets, rowIdEnd);
        }
    }

    @Test
    void nothingRestoredIsNotAhead() throws IOException {
        check(List.of(), Map.of(), 0);
    }

    @Test
    void ownCommitsMayBePending() throws IOException {
        check(List.of(second, "pending"), Map.of(0, 9L), MANY);
    }

    @Test
    void othersMayHavePublishedSince() throws IOException {
        check(List.of(first), Map.of(0, 1L), MANY);
    }

    @Test
    void aCommitTheChainHasForgottenIsCoveredByWhatIsApplied() throws IOException {
        check(List.of("forgotten"), Map.of(0, 2L), MANY);
        check(List.of("forgotten"), Map.of(), 1);
    }

    @Test
    void stateAheadIsRefusedWithItsOffsets() {
        assertThatThrownBy(() -> check(List.of(first, "ahead"), Map.of(0, 5L, 1, 0L), MANY))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining(
                        "the restored state is ahead of the collection: its row ids stand on commit"
                                + " ahead, which version 2 does not hold; it stands on commit "
                                + second
                                + ". Not published: offsets p0 2..5. Start the job without state")
                .hasMessageContaining("goes on at the collection's applied offsets");
    }

    @Test
    void stateAheadWithoutOffsetsIsKnownByItsRows() {
        assertThatThrownBy(() -> check(List.of("ahead"), Map.of(), MANY))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("changes of a changelog without offsets");
    }
}
