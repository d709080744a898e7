package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class ManifestFilesTest {
    private static final CollectionPaths PATHS = new CollectionPaths(1, 7);
    private static final String ROOT = "ns/1/collections/7/";

    /** A deletion file of type {@code type}, read version 300, id 2^64 - 1. */
    private static byte[] deletionFile(int type) {
        byte[] message = {8, (byte) type, 16, -84, 2, 24, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        return message;
    }

    @Test
    void lanceActionsNameTheirFiles() {
        byte[] fragment =
                ByteString.copyFrom(new byte[] {8, 5, 18, 3, 10, 1, 'x', 18, 3, 10, 1, 'y'})
                        .concat(ByteString.copyFrom(new byte[] {26, 16}))
                        .concat(ByteString.copyFrom(deletionFile(0)))
                        .toByteArray();
        assertThat(
                        ManifestFiles.newFiles(
                                PATHS,
                                List.of(
                                        LanceAction.AddFragments.ofBytes(List.of(fragment)),
                                        LanceAction.UpdateFragment.withDeletionFile(
                                                9, deletionFile(1)))))
                .containsExactly(
                        ROOT + "lance/_deletions/5-300-18446744073709551615.arrow",
                        ROOT + "lance/_deletions/9-300-18446744073709551615.bin",
                        ROOT + "lance/data/x",
                        ROOT + "lance/data/y");
    }

    @Test
    void everyExampleNamesWhatItMade() {
        assertThat(ManifestFiles.newFiles(PATHS, GoldenActions.EXAMPLES))
                .containsExactlyInAnyOrder(
                        ROOT + "lance/_versions/d18446744073709551615.manifest",
                        PATHS.split(new Ulid(1, -1)),
                        "d",
                        "p",
                        ROOT + "lance/_indices/u/",
                        "p/",
                        "a",
                        "b",
                        ROOT + "lance/_deletions/7-0-0.bin",
                        ROOT + "lance/data/x",
                        ROOT + "lance/_indices/00010203-0405-0607-0809-0a0b0c0d0e0f/");
    }

    @Test
    void aCommitAlsoMakesItsManifestAndItsOwnOperation() {
        CollectionManifest empty = CollectionManifest.empty(7);
        CollectionManifest manifest =
                new CollectionManifest(
                        1,
                        0,
                        7,
                        0,
                        0,
                        1,
                        List.of(),
                        List.of(),
                        List.of(),
                        Map.of(),
                        0,
                        "",
                        CommitKind.LINK_APPLY,
                        "",
                        "",
                        0,
                        0,
                        List.of(),
                        null,
                        "ops/o",
                        Map.of(),
                        0);
        assertThat(ManifestFiles.newFiles(PATHS, "m.pb", manifest, List.of()))
                .containsExactly("m.pb", "ops/o");
        assertThat(ManifestFiles.referenced(PATHS, manifest))
                .as("the mainline version belongs to the dataset")
                .containsExactly("ops/o");
        assertThat(ManifestFiles.removedFiles(PATHS, manifest, empty)).containsExactly("ops/o");
    }
}
