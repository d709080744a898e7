package io.loam.codec.manifest;

import io.loam.codec.Ulid;
import io.loam.codec.lance.DataFileName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectShapeTest {
    private static final Golden FILE = Golden.file("paths.json");
    private static final Ulid ULID = Ulid.of(1700000000000L, 0, 42);
    private static final CollectionPaths PATHS = new CollectionPaths(1, 5);
    private static final String ROOT = PATHS.root();

    private static ObjectShape shape(String path) {
        return ObjectShape.of(PATHS, path);
    }

    @Test
    void everyPathWeMakeHasItsShape() {
        assertThat(
                        Map.of(
                                PATHS.manifest(7, ULID), ObjectShape.MANIFEST,
                                PATHS.split(ULID), ObjectShape.SPLIT,
                                PATHS.deleteBitmap(ULID, ULID), ObjectShape.DELETE_BITMAP,
                                PATHS.pkDelta(-1, ULID), ObjectShape.PK_DELTA,
                                PATHS.deadLetters(7, ULID), ObjectShape.DEAD_LETTERS,
                                PATHS.operation(7, ULID), ObjectShape.OPERATION,
                                PATHS.stagedDescriptor(ULID), ObjectShape.STAGED_DESCRIPTOR,
                                PATHS.stagedKeys(ULID), ObjectShape.STAGED_KEYS,
                                PATHS.stagedDeadLetters(ULID), ObjectShape.STAGED_DEAD_LETTERS,
                                PATHS.lanceData("x.lance"), ObjectShape.LANCE))
                .allSatisfy((path, expected) -> assertThat(shape(path)).isEqualTo(expected));
        String artifact = PATHS.hotArtifact("_vector_0", 6, ULID);
        assertThat(shape(artifact + "descriptor.bin")).isEqualTo(ObjectShape.HOT);
        assertThat(shape(CollectionPaths.hotChunk(artifact, "a/b.bin", 0)))
                .isEqualTo(ObjectShape.HOT);
        String rowIds = DataFileName.ofRowIds(new Ulid(1, 2), 77);
        assertThat(shape(PATHS.lance() + rowIds)).isEqualTo(ObjectShape.LANCE);
        assertThat(shape(PATHS.lance() + "x.rowids")).isEqualTo(ObjectShape.UNKNOWN);
        assertThat(shape(PATHS.lance() + rowIds.replace(".rowids", ".lance")))
                .isEqualTo(ObjectShape.UNKNOWN);
        assertThat(shape(PATHS.lanceVersion(1))).isEqualTo(ObjectShape.LANCE_MAINLINE);
        assertThat(shape(PATHS.lanceVersion(-5))).isEqualTo(ObjectShape.LANCE);
        assertThat(shape(PATHS.lanceIndex("67e55044-10b1-426f-9247-bb680e5fe0c8") + "x"))
                .isEqualTo(ObjectShape.LANCE);
    }

    static Stream<Golden> manifestVersions() {
        return FILE.get("manifest_version_of").list().stream();
    }

    @ParameterizedTest
    @MethodSource("manifestVersions")
    void manifestsAreThoseWithAVersion(Golden path) {
        assertThat(shape(path.get("path").text()) == ObjectShape.MANIFEST)
                .isEqualTo(!path.get("version").isNull());
    }

    static Stream<String> strangers() {
        String versioned = "00000000000000000007-" + ULID;
        return Stream.of(
                "",
                "manifests/" + versioned + ".pb.part",
                "manifests/x/" + versioned + ".pb",
                "manifests/18446744073709551616-" + ULID + ".pb",
                "manifests/" + versioned.toLowerCase() + ".pb",
                "manifests/" + ULID + ".pb",
                "pkdelta/" + versioned + ".dlq",
                "deadletters/" + versioned + ".pkd",
                "ops/" + versioned,
                "text/" + ULID + ".split",
                "text/splits/" + ULID + ".split/x",
                "text/splits/notes.split",
                "text/deletes/" + ULID + ".bitmap",
                "text/deletes/x/" + ULID + ".bitmap",
                "text/deletes/" + ULID + "/x.bitmap",
                "staged/" + ULID,
                "staged/" + ULID + ".tmp",
                "staged/x/" + ULID + ".stg",
                "hot/hnsw/c/" + versioned,
                "hot/hnsw/c/" + versioned + "/",
                "hot/flat/c/" + versioned + "/descriptor.bin",
                "hot/hnsw/c/" + ULID + "/descriptor.bin",
                "lance/_refs/x",
                "lance/x",
                "README.md");
    }

    @ParameterizedTest
    @MethodSource("strangers")
    void anythingElseIsUnknown(String relative) {
        assertThat(shape(ROOT + relative)).isEqualTo(ObjectShape.UNKNOWN);
    }

    @Test
    void pathsOfOtherCollectionsAreUnknown() {
        for (String path :
                List.of(
                        new CollectionPaths(1, 6).split(ULID),
                        new CollectionPaths(1, 55).split(ULID),
                        PATHS.keyIndexDatabase() + "/x")) {
            assertThat(shape(path)).as(path).isEqualTo(ObjectShape.UNKNOWN);
        }
    }
}
