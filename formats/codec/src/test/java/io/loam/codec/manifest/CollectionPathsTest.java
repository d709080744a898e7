package io.loam.codec.manifest;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths.LanceFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class CollectionPathsTest {
    private static final Golden FILE = Golden.file("paths.json");
    private static final Ulid ULID = Ulid.of(1700000000000L, 0, 42);
    private static final Ulid SPLIT = Ulid.of(1600000000000L, 0, 7);
    private static final CollectionPaths PATHS =
            new CollectionPaths(FILE.get("namespace").u64(), FILE.get("collection").u64());

    private static final Map<String, String> EXPECTED =
            Map.ofEntries(
                    Map.entry("collection_prefix", PATHS.root()),
                    Map.entry("lance_prefix", PATHS.lance()),
                    Map.entry("manifest_v7", PATHS.manifest(7, ULID)),
                    Map.entry("manifest_vmax", PATHS.manifest(-1, ULID)),
                    Map.entry("split", PATHS.split(ULID)),
                    Map.entry("delete_bitmap", PATHS.deleteBitmap(SPLIT, ULID)),
                    Map.entry("pk_delta_v7", PATHS.pkDelta(7, ULID)),
                    Map.entry("dead_letters_v7", PATHS.deadLetters(7, ULID)),
                    Map.entry("hot_artifact_prefix", PATHS.hotArtifact("_vector_0", 6, ULID)),
                    Map.entry(
                            "hot_chunk",
                            CollectionPaths.hotChunk(
                                    PATHS.hotArtifact("_vector_0", 6, ULID), "graph.bin", 0)),
                    Map.entry("pk_prefix", PATHS.keyIndex()),
                    Map.entry("pk_db_root", PATHS.keyIndexDatabase()),
                    Map.entry("lance_version_1_manifest", PATHS.lanceVersion(1)),
                    Map.entry(
                            "lance_detached_manifest",
                            PATHS.lanceVersion(Long.parseUnsignedLong("9223372036854775809"))));

    private static final Map<String, String> KEYS =
            Map.ofEntries(
                    Map.entry("manifest_pointer", PATHS.pointerKey()),
                    Map.entry("link_pointer", TaskKeys.link(9)),
                    Map.entry("implicit_stream_and_link", PATHS.streamName("docs")),
                    Map.entry("link_task", TaskKeys.link(9)),
                    Map.entry("link_lease", TaskKeys.lease(TaskKeys.link(9))),
                    Map.entry("index_task", TaskKeys.buildIndexes(5)),
                    Map.entry("merge_task", TaskKeys.mergeSplits(5)),
                    Map.entry("compaction_task", TaskKeys.compact(5)),
                    Map.entry("trim_task", TaskKeys.trim(5)),
                    Map.entry("hot_build_task", TaskKeys.buildHot(5, 0)),
                    Map.entry("hot_promote_lease", TaskKeys.promoteHot(1, 5)),
                    Map.entry("gc_task", TaskKeys.GC));

    @Test
    void everySectionIsKnown() {
        assertThat(FILE.members().keySet())
                .isEqualTo(
                        Set.of(
                                "provenance",
                                "ulids",
                                "namespace",
                                "collection",
                                "paths",
                                "keys",
                                "manifest_version_of",
                                "lance_file_classes",
                                "object_time"));
    }

    static Stream<Golden> ulids() {
        return FILE.get("ulids").list().stream();
    }

    @ParameterizedTest
    @MethodSource("ulids")
    void ulidsPrintAndParse(Golden ulid) {
        Ulid fromBytes = Ulid.fromBytes(ulid.get("hex").hex());
        assertThat(fromBytes).hasToString(ulid.get("text").text());
        assertThat(Ulid.parse(ulid.get("text").text())).isEqualTo(fromBytes);
        assertThat(HexFormat.of().formatHex(fromBytes.toBytes())).isEqualTo(ulid.get("hex").text());
        if (ulid.has("time_ms")) {
            long time = ulid.get("time_ms").u64();
            assertThat(fromBytes.timeMs()).isEqualTo(time);
            assertThat(Ulid.of(time, 0, ulid.get("random").u64())).isEqualTo(fromBytes);
        }
    }

    static Stream<Golden> paths() {
        return FILE.get("paths").members().values().stream();
    }

    @ParameterizedTest
    @MethodSource("paths")
    void pathsAreAsPinned(Golden path) {
        assertThat(EXPECTED).containsEntry(path.name(), path.text());
    }

    static Stream<Golden> keys() {
        return FILE.get("keys").members().values().stream();
    }

    @ParameterizedTest
    @MethodSource("keys")
    void keysAreAsPinned(Golden key) {
        assertThat(KEYS).containsEntry(key.name(), key.text());
    }

    static Stream<Golden> manifestVersions() {
        return FILE.get("manifest_version_of").list().stream();
    }

    @ParameterizedTest
    @MethodSource("manifestVersions")
    void manifestPathsTellTheirVersion(Golden path) {
        OptionalLong expected =
                path.get("version").isNull()
                        ? OptionalLong.empty()
                        : OptionalLong.of(path.get("version").u64());
        assertThat(CollectionPaths.manifestVersion(path.get("path").text())).isEqualTo(expected);
    }

    @Test
    void onlyManifestPathsHaveAVersion() {
        String ulid = ULID.toString();
        assertThat(CollectionPaths.manifestVersion(PATHS.manifest(-1, ULID))).hasValue(-1L);
        for (String name :
                List.of(
                        "18446744073709551616-" + ulid + ".pb",
                        "0000000000000000000７-" + ulid + ".pb",
                        "00000000000000000007-" + ulid.toLowerCase() + ".pb",
                        "00000000000000000007_" + ulid + ".pb",
                        "00000000000000000007-" + ulid + ".pbx",
                        "0000000000000000007-" + ulid + ".pb",
                        "+0000000000000000007-" + ulid + ".pb",
                        "00000000000000000007-Z" + ulid.substring(1) + ".pb",
                        "",
                        "00000000000000000007-" + ulid + ".pb/")) {
            assertThat(CollectionPaths.manifestVersion(PATHS.manifests() + name))
                    .as(name)
                    .isEmpty();
        }
    }

    static Stream<Golden> lanceFiles() {
        return FILE.get("lance_file_classes").members().entrySet().stream()
                .filter(e -> !e.getKey().equals("provenance"))
                .flatMap(
                        e ->
                                e.getValue().list().stream()
                                        .map(f -> new Golden(e.getKey(), f.value())));
    }

    @ParameterizedTest
    @MethodSource("lanceFiles")
    void lanceFilesAreClassified(Golden file) {
        Set<LanceFile> expected =
                Map.of(
                                "collectable", Set.of(LanceFile.COLLECTABLE),
                                "kept", Set.of(LanceFile.UNKNOWN, LanceFile.MAINLINE_MANIFEST),
                                "mainline_manifest", Set.of(LanceFile.MAINLINE_MANIFEST))
                        .get(file.name());
        assertThat(expected).as("class " + file.name()).isNotNull();
        assertThat(expected).as(file.text()).contains(CollectionPaths.lanceFile(file.text()));
    }

    @Test
    void lanceFilesOfOtherShapesAreKept() {
        for (String file :
                List.of(
                        "_versions/d9223372036854775807.manifest",
                        "_versions/d99999999999999999999.manifest",
                        "_versions/1.manifest",
                        "_versions/x/d9223372036854775809.manifest",
                        "data/.lance",
                        "_deletions/x/1-2-3.bin",
                        "_indices/67e55044-10b1-426f-9247-bb680e5fe0c8/",
                        "x",
                        "")) {
            assertThat(CollectionPaths.lanceFile(file)).as(file).isEqualTo(LanceFile.UNKNOWN);
        }
    }

    @Test
    void objectTimeIsTheUlidsUnlessTheFileIsLances() {
        assertThat(FILE.get("object_time").get("rule").text())
                .isEqualTo(
                        "last path segment, up to its first dot, then after its last dash: if that"
                                + " parses as a ULID its time, else last-modified; Lance files"
                                + " always last-modified");
        assertThat(PATHS.objectTimeMs(PATHS.manifest(7, ULID), 1)).isEqualTo(1700000000000L);
        assertThat(PATHS.objectTimeMs(PATHS.split(SPLIT), 1)).isEqualTo(1600000000000L);
        assertThat(PATHS.objectTimeMs(PATHS.stagedKeys(SPLIT), 1)).isEqualTo(1600000000000L);
        assertThat(PATHS.objectTimeMs(PATHS.root() + ULID, 1)).isEqualTo(1700000000000L);
        assertThat(PATHS.objectTimeMs(PATHS.split(SPLIT) + ".part", 1)).isEqualTo(1600000000000L);
        assertThat(PATHS.objectTimeMs(PATHS.lanceData(ULID + ".lance"), 1)).isEqualTo(1);
        assertThat(PATHS.objectTimeMs(PATHS.hotArtifact("c", 6, ULID) + "descriptor.bin", 1))
                .isEqualTo(1);
    }

    @Test
    void ownObjectsHavePathsOfTheirOwn() {
        assertThat(PATHS.stagedDescriptor(ULID))
                .isEqualTo("ns/1/collections/5/staged/01HF7YAT00000000000000001A.stg");
        assertThat(PATHS.stagedKeys(ULID))
                .isEqualTo("ns/1/collections/5/staged/01HF7YAT00000000000000001A.keys");
        assertThat(PATHS.stagedDeadLetters(ULID))
                .isEqualTo("ns/1/collections/5/staged/01HF7YAT00000000000000001A.dlp");
        assertThat(PATHS.operation(7, ULID))
                .isEqualTo(
                        "ns/1/collections/5/ops/00000000000000000007-01HF7YAT00000000000000001A.op");
        assertThat(PATHS.leaseKey()).isEqualTo("task/apply/5");
    }

    @Test
    void idsAreUnsigned() {
        assertThat(new CollectionPaths(-1, -2).root())
                .isEqualTo("ns/18446744073709551615/collections/18446744073709551614/");
    }
}
