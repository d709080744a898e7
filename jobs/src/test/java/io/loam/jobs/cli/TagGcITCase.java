package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GcLease;
import io.loam.store.testing.MetastoreTime;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Tags and garbage collection on real objects, from the command line. */
class TagGcITCase {
    private static final int COMMITS = 14;

    @TempDir Path folder;
    private WarehouseOptions options;
    private final TestLog log = new TestLog(1);

    @BeforeEach
    void load() throws IOException {
        options = WarehouseOptions.local(folder.resolve("warehouse"));
        try (Warehouse warehouse = Warehouse.openOrCreate(options)) {
            warehouse.metastore().createCollection("default", "docs", SampleSchema.get(), 1, null);
        }
        commits(COMMITS);
    }

    /** Every commit changes document 0 and adds one. */
    private void commits(int count) throws IOException {
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle handle = warehouse.open("default", "docs")) {
            TestWriter writer = TestWriter.start(handle, log, folder);
            for (int i = 0; i < count; i++) {
                int version = (int) handle.live().version() + 1;
                upsert(0, version);
                upsert(version, version);
                try (LinkApplyCommitter committer =
                        new LinkApplyCommitter(
                                handle, CommitterOptions.of("test").withTakeOver(true))) {
                    committer.commit(writer.checkpoint(1), false);
                }
            }
        }
    }

    private void upsert(int key, int n) {
        log.add(
                new Operation.Upsert(
                        new Document(
                                PrimaryKey.ofU64(key),
                                Json.parseObject(
                                        ("{\"title\":\"number " + n + "\",\"n\":" + n + "}")
                                                .getBytes(StandardCharsets.UTF_8)),
                                Map.of("v", new float[] {1, n, 0, 0}),
                                Map.of())));
    }

    private void days(int days) throws SQLException {
        MetastoreTime.pass(options.effectiveMetastoreUrl(), Duration.ofDays(days));
    }

    private LoamRun loam(String... arguments) {
        return LoamRun.of(
                Stream.concat(
                                Stream.of(arguments),
                                Stream.of("--warehouse", options.directory().toString()))
                        .toArray(String[]::new));
    }

    private List<String> objects() throws IOException {
        try (Stream<Path> files = Files.walk(options.directory().resolve("ns"))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> options.directory().relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    private long manifests() throws IOException {
        return objects().stream().filter(path -> path.contains("/manifests/")).count();
    }

    private static String title(LoamRun run) {
        return LoamRun.printed(
                (JsonObject) run.ok().json().get(0).members().get("source"), "title");
    }

    @Test
    void aTaggedVersionStaysAndTheRestGoes() throws Exception {
        assertThat(loam("tag", "create", "docs", "three", "--at", "3").ok().out())
                .isEqualToIgnoringNewLines("tag three names version 3");
        days(3);
        List<String> before = objects();

        LoamRun dry = loam("gc", "--dry-run").ok();
        assertThat(objects()).isEqualTo(before);
        assertThat(dry.out())
                .contains(" bytes, 3 days old: a manifest that is not retained")
                .contains("default.docs: ")
                .contains(" bytes would go; kept ")
                .contains("needed by a tagged version");
        long planned =
                loam("gc", "--dry-run", "--json").ok().json().stream()
                        .filter(line -> line.members().containsKey("path"))
                        .count();
        List<JsonObject> gone = loam("gc", "--json").ok().json();
        JsonObject summary = gone.get(gone.size() - 1);
        assertThat(LoamRun.number(summary, "deleted"))
                .isEqualTo(planned)
                .isEqualTo(gone.size() - 1);
        assertThat(objects()).hasSize(before.size() - (int) planned);
        assertThat(loam("gc", "--until-done").ok().out())
                .contains("default.docs: 0 objects of 0 bytes deleted");

        assertThat(manifests()).isEqualTo(11 + 1);
        assertThat(loam("verify", "docs", "--no-log").ok().out()).contains("0 violations");
        assertThat(title(loam("get", "docs", "0", "--tag", "three"))).isEqualTo("\"number 3\"");
        assertThat(title(loam("get", "docs", "0"))).isEqualTo("\"number 14\"");
        assertThat(loam("get", "docs", "4", "--tag", "three").code()).isEqualTo(Loam.NOT_FOUND);
        assertThat(loam("search", "docs", "title:number", "--tag", "three", "--json").ok().json())
                .hasSize(4);
        assertThat(
                        loam(
                                        "search",
                                        "docs",
                                        "--vector",
                                        "v",
                                        "--values",
                                        "1,2,0,0",
                                        "-k",
                                        "1",
                                        "--tag",
                                        "three",
                                        "--json")
                                .ok()
                                .out())
                .contains("number 2");
        assertThat(loam("describe", "docs", "--tag", "three").ok().out())
                .containsPattern("version +3\\R")
                .containsPattern("live documents +4\\R");
        commits(1);
        assertThat(loam("verify", "docs", "--no-log").ok().out()).contains("0 violations");

        assertThat(loam("tag", "delete", "docs", "three").ok().out())
                .isEqualToIgnoringNewLines("deleted tag three");
        loam("gc", "--collection", "docs", "--until-done").ok();
        days(3);
        loam("gc", "--collection", "docs", "--until-done").ok();
        assertThat(manifests()).isEqualTo(11);
        assertThat(loam("get", "docs", "0", "--tag", "three").failure())
                .isEqualTo("collection docs has no tag \"three\"; it has none");
        assertThat(loam("verify", "docs", "--no-log").ok().out()).contains("0 violations");
    }

    @Test
    void tagsAreListedAndProtect() throws Exception {
        assertThat(loam("tag", "list", "docs").ok().out()).isEqualToIgnoringNewLines("no tags");
        loam("tag", "create", "docs", "b", "--description", "for the audit", "--protect").ok();
        assertThat(loam("tag", "create", "docs", "a", "--for", "2d").ok().out())
                .startsWith("tag a names version 14 until ");
        assertThat(
                        loam("tag", "create", "docs", "c", "--token", "v1:s1/p0@28", "--json")
                                .ok()
                                .out())
                .contains("\"version\":14");
        assertThat(loam("tag", "list", "docs").ok().out())
                .hasLineCount(4)
                .containsPattern("b +14 +\\S+ +never +yes +for the audit");
        assertThat(loam("tag", "list", "docs", "--json").ok().json())
                .extracting(tag -> LoamRun.text(tag, "tag"))
                .containsExactly("a", "b", "c");
        days(3);
        assertThat(loam("tag", "list", "docs").ok().out()).containsPattern("a .* expired ");
        assertThat(loam("get", "docs", "0", "--tag", "a").failure()).contains("has expired");
        assertThat(loam("tag", "expire", "docs").ok().out()).isEqualToIgnoringNewLines("deleted a");
        assertThat(loam("tag", "expire", "docs").ok().out())
                .isEqualToIgnoringNewLines("no tag has expired");
    }

    @Test
    void wrongTagsAreAnsweredInOneLine() {
        loam("tag", "create", "docs", "t").ok();
        assertThat(loam("tag", "create", "docs", "t").failure())
                .contains("has a tag \"t\" already", "delete it, or take another name");
        assertThat(loam("tag", "create", "docs", "u", "--at", "99").failure())
                .contains("version 99", "versions 1 to 14 are retained");
        assertThat(loam("tag", "create", "docs", "a b").failure()).contains("a tag's name");
        assertThat(loam("tag", "create", "docs", "u", "--token", "x").failure())
                .contains("not a consistency token");
        assertThat(loam("tag", "create", "docs", "u", "--token", "v1:s9/p0@1").failure())
                .contains("stream 9");
        assertThat(loam("tag", "create", "docs", "u", "--for", "soon").failure())
                .isEqualTo("--for soon is no time; write 7d, 12h or 30min");
        assertThat(loam("tag", "create", "docs", "u", "--at", "1", "--token", "v1:").failure())
                .isEqualTo("give --at or --token, not both");
        assertThat(loam("tag", "delete", "docs", "u").failure()).contains("it has t");
        assertThat(loam("get", "docs", "1", "--at", "1", "--tag", "t").failure())
                .isEqualTo("give --at or --tag, not both");
        assertThat(loam("describe", "--tag", "t").failure())
                .isEqualTo("--at and --tag need the name of a collection");
    }

    @Test
    void wrongCollectionsOfGarbageAreAnsweredInOneLine() throws Exception {
        assertThat(loam("gc", "--kept").failure()).contains("--dry-run");
        assertThat(loam("gc", "--dry-run", "--until-done").failure()).contains("--until-done");
        assertThat(loam("gc", "--grace", "5min").failure())
                .contains("must exceed the longest commit");
        assertThat(loam("gc", "--retention", "10min").failure()).contains("for the grace");
        assertThat(loam("gc", "--max-deletes", "0").failure()).contains("must be allowed a delete");
        assertThat(loam("gc", "--collection", "none").failure())
                .startsWith("no collection \"none\"");
        try (Warehouse warehouse = Warehouse.open(options);
                GcLease held = GcLease.acquire(warehouse.metastore(), "somebody", 60_000)) {
            assertThat(loam("gc").failure()).startsWith("lease task/gc is held by somebody until ");
            assertThat(loam("gc", "--dry-run").ok().out())
                    .contains(": " + COMMITS + " objects of ");
            assertThat(loam("gc", "--dry-run", "--kept").ok().out())
                    .contains("latest_version_hint.json", "not of a shape this release knows");
            assertThat(held).isNotNull();
        }
    }

    @Test
    void whatCannotBeReadIsKeptAndTold() throws Exception {
        days(3);
        String manifest =
                objects().stream().filter(path -> path.contains("/manifests/")).toList().get(8);
        Path file = options.directory().resolve(manifest);
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        Files.write(file, new byte[bytes.length]);
        List<String> before = objects();

        LoamRun run = loam("gc");

        assertThat(run.code()).isEqualTo(Loam.FAILED);
        assertThat(run.out())
                .startsWith("default.docs: kept whole, as it cannot be read: ")
                .contains(manifest);
        assertThat(objects()).isEqualTo(before);
        Files.delete(file);
        Files.write(file, bytes);
        assertThat(loam("gc").ok().out()).contains("bytes deleted");
    }

    @Test
    void aDroppedCollectionGoes() throws Exception {
        try (Warehouse warehouse = Warehouse.open(options)) {
            warehouse.metastore().dropCollection(warehouse.open("default", "docs").info().id());
        }
        int all = objects().size();
        assertThat(loam("gc").ok().out()).contains("; kept " + all + " younger than the grace");
        days(1);
        assertThat(loam("gc", "--dry-run").ok().out())
                .contains("of a collection that was dropped")
                .contains("ns/1/collections/1/: " + all + " objects of ");
        loam("gc", "--until-done").ok();
        assertThat(objects()).isEmpty();
        loam("gc").ok();
        assertThat(loam("gc").ok().out()).isEqualToIgnoringNewLines("no collections");
    }
}
