package io.loam.store.tag;

import io.loam.codec.record.ConsistencyToken;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Tag;
import io.loam.store.read.CollectionReader;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TagsTest {
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final TagTarget CURRENT = TagTarget.current();

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private CollectionHandle handle;
    private Tags tags;

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 2, () -> clockMs);
        handle = collection.open();
        tags = new Tags(handle);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void commits(int number) throws IOException {
        for (int i = 0; i < number; i++) {
            collection.upsert(i % 4, "{\"n\":" + i + "}");
            TestWriter writer = collection.writer();
            try (LinkApplyCommitter committer =
                    new LinkApplyCommitter(
                            collection.open(), CommitterOptions.of("a").withTakeOver(true))) {
                committer.commit(writer.checkpoint(1), false);
            }
            clockMs += 1000;
        }
    }

    @Test
    void tagsTheLiveVersionAndOpensIt() throws IOException {
        commits(2);

        Tag tag = tags.create("v2", CURRENT, new TagOptions("before the move", null, true));

        assertThat(tag.version()).isEqualTo(2);
        assertThat(tag.path()).isEqualTo(handle.live().path());
        assertThat(tag.description()).isEqualTo("before the move");
        assertThat(tag.protect()).isTrue();
        assertThat(tags.list()).containsExactly(tag);
        commits(2);
        assertThat(tags.open("v2").version()).isEqualTo(2);
        try (CollectionReader reader = CollectionReader.openTag(handle, "v2")) {
            assertThat(reader.manifest().version()).isEqualTo(2);
            assertThat(reader.count()).isEqualTo(2);
        }
    }

    @Test
    void aTaggedVersionOpensWhenItIsNotRetainedAnyMore() throws IOException {
        commits(3);
        tags.create("old", TagTarget.version(2), TagOptions.DEFAULT);
        commits(12);
        clockMs += 2 * DAY;

        assertThatThrownBy(() -> ManifestChain.of(handle).open(2))
                .isInstanceOf(SnapshotExpiredException.class);
        assertThat(tags.open("old").version()).isEqualTo(2);
        assertThat(tags.openVersion(2)).isEqualTo(tags.open("old"));
        try (CollectionReader reader = CollectionReader.open(handle, 2)) {
            assertThat(reader.count()).isEqualTo(2);
        }
        assertThatThrownBy(() -> tags.openVersion(3))
                .isInstanceOf(SnapshotExpiredException.class)
                .hasMessageContaining("versions 5 to 15 are retained");
        assertThatThrownBy(() -> tags.create("late", TagTarget.version(2), TagOptions.DEFAULT))
                .isInstanceOf(SnapshotExpiredException.class)
                .hasMessageContaining("versions 5 to 15 are retained");
    }

    @Test
    void anExpiredTagKeepsNothing() throws IOException {
        commits(2);
        tags.create("short", TagTarget.version(1), new TagOptions("", Duration.ofDays(1), false));
        commits(12);
        assertThat(tags.openVersion(1).version()).isEqualTo(1);
        clockMs += 2 * DAY;
        assertThatThrownBy(() -> tags.openVersion(1)).isInstanceOf(SnapshotExpiredException.class);
    }

    @Test
    void thereMustBeAVersion() throws IOException {
        assertThatThrownBy(() -> tags.create("a", CURRENT, TagOptions.DEFAULT))
                .isInstanceOf(SnapshotExpiredException.class)
                .hasMessageContaining("no version to tag yet");
        commits(1);
        assertThatThrownBy(() -> tags.create("a", TagTarget.version(0), TagOptions.DEFAULT))
                .isInstanceOf(SnapshotExpiredException.class);
        assertThatThrownBy(() -> tags.create("a", TagTarget.version(2), TagOptions.DEFAULT))
                .isInstanceOf(SnapshotExpiredException.class);
        assertThat(tags.list()).isEmpty();
    }

    /** Collected between the look at the chain and the tag. */
    @Test
    void aVersionReleasedMeanwhileIsNotTagged() throws IOException {
        commits(3);
        collection.faults.onceRun(
                "createTag",
                () -> {
                    try {
                        handle.metastore().releaseVersions(handle.info().id(), 3);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThatThrownBy(() -> tags.create("a", TagTarget.version(2), TagOptions.DEFAULT))
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.SNAPSHOT_EXPIRED));
        assertThat(tags.create("b", TagTarget.version(3), TagOptions.DEFAULT).version())
                .isEqualTo(3);
    }

    @Test
    void expiredTagsDoNotOpen() throws IOException {
        commits(1);
        TagOptions days = new TagOptions("", Duration.ofDays(2), true);
        Tag tag = tags.create("short", CURRENT, days);
        assertThat(tag.expiresAtMs()).isEqualTo(clockMs + 2 * DAY);
        clockMs += 2 * DAY - 1;
        assertThat(tags.open("short").version()).isEqualTo(1);
        assertThat(tags.expire()).isEmpty();
        clockMs += 1;

        assertThatThrownBy(() -> tags.open("short")).hasMessageContaining("has expired");
        assertThat(tags.list()).containsExactly(tag);
        assertThat(tags.expire()).containsExactly(tag);
        assertThat(tags.list()).isEmpty();
        assertThatThrownBy(() -> new TagOptions("", Duration.ZERO, false))
                .hasMessageContaining("at least a millisecond");
    }

    @Test
    void saysWhichTagsThereAre() throws IOException {
        commits(1);
        assertThatThrownBy(() -> tags.open("x")).hasMessageContaining("it has none");
        tags.create("b", CURRENT, TagOptions.DEFAULT);
        tags.create("a", CURRENT, TagOptions.DEFAULT);

        assertThatThrownBy(() -> tags.open("x"))
                .hasMessage("collection docs has no tag \"x\"; it has a, b");
        tags.delete("a");
        assertThat(tags.list()).extracting(Tag::name).containsExactly("b");
        assertThatThrownBy(() -> tags.delete("a")).hasMessageContaining("no tag \"a\"");
    }

    @Test
    void aTagWhoseManifestIsGoneOrAnotherSaysSo() throws IOException {
        commits(2);
        Tag tag = tags.create("a", TagTarget.version(1), TagOptions.DEFAULT);
        byte[] other = collection.memory.get(handle.live().path());

        collection.memory.corrupt(tag.path(), other);
        assertThatThrownBy(() -> tags.open("a"))
                .hasMessageContaining(tag.path())
                .hasMessageContaining("names version 1");
        collection.memory.delete(tag.path());
        assertThatThrownBy(() -> tags.open("a"))
                .hasMessageContaining(tag.path())
                .hasMessageContaining("not there");
    }

    @Test
    void waitsForAToken() throws IOException {
        commits(3);
        Map<Integer, Long> applied = handle.live().manifest().applied();
        List<Long> pauses = new ArrayList<>();
        Tags waiting =
                new Tags(
                        handle,
                        new TokenWait(
                                handle,
                                Duration.ofSeconds(30),
                                ms -> {
                                    pauses.add(ms);
                                    if (pauses.size() == 3) {
                                        commits(4);
                                    }
                                    if (pauses.size() > 3) {
                                        commits(1);
                                    }
                                }));
        assertThat(waiting.create("now", at(applied, 0), TagOptions.DEFAULT).version())
                .isEqualTo(3);
        assertThat(pauses).isEmpty();

        assertThat(waiting.create("later", at(applied, 1), TagOptions.DEFAULT).version())
                .isGreaterThanOrEqualTo(7);
        assertThat(pauses).hasSizeGreaterThanOrEqualTo(3).containsOnly(250L);
        assertThat(waiting.create("any", TagTarget.token("v1:"), TagOptions.DEFAULT)).isNotNull();
    }

    private TagTarget at(Map<Integer, Long> applied, long more) {
        return new TagTarget.Token(
                new ConsistencyToken(
                        applied.entrySet().stream()
                                .map(
                                        entry ->
                                                new ConsistencyToken.Item(
                                                        handle.info().id(),
                                                        entry.getKey(),
                                                        entry.getValue() + more))
                                .toList()));
    }

    @Test
    void aTokenThatIsNotCoveredInTime() throws IOException {
        commits(1);
        List<Long> pauses = new ArrayList<>();
        Tags waiting = new Tags(handle, new TokenWait(handle, Duration.ofSeconds(30), pauses::add));

        assertThatThrownBy(
                        () ->
                                waiting.create(
                                        "a", TagTarget.token("v1:s1/p0@90"), TagOptions.DEFAULT))
                .isInstanceOf(TokenNotCoveredException.class)
                .hasMessageContaining("partition 0 is at ")
                .hasMessageContaining("not at 90")
                .hasMessageContaining("waited 30 s");
        assertThat(pauses.stream().mapToLong(Long::longValue).sum()).isEqualTo(30_000);
        assertThat(tags.list()).isEmpty();
    }

    @Test
    void tokensOfOthersAreRefused() throws IOException {
        commits(1);
        assertThatThrownBy(
                        () -> tags.create("a", TagTarget.token("v1:s9/p0@1"), TagOptions.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stream 9");
        assertThatThrownBy(
                        () -> tags.create("a", TagTarget.token("v1:s1/p2@1"), TagOptions.DEFAULT))
                .hasMessageContaining("partitions 0 to 1");
        assertThatThrownBy(() -> TagTarget.token("v2:x")).hasMessageContaining("\"v2:x\"");
    }

    /** In direct mode no offset is ever applied. */
    @Test
    void doesNotWaitForWhatCannotCome() throws IOException {
        collection.upsert(1, "{\"n\":1}");
        TestWriter writer = collection.directWriter();
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            committer.commit(writer.checkpoint(1), false);
        }
        assertThatThrownBy(
                        () -> tags.create("a", TagTarget.token("v1:s1/p0@1"), TagOptions.DEFAULT))
                .isInstanceOf(TokenNotCoveredException.class)
                .hasMessageContaining("direct mode");
    }
}
