package io.loam.store;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class LocalFilesTest {
    @TempDir Path folder;

    @Test
    void aDirectoryGoesWithAllBelowIt() throws IOException {
        Path root = folder.resolve("unit");
        Files.createDirectories(root.resolve("index/segments"));
        Files.writeString(root.resolve("rows.lance"), "rows");
        Files.writeString(root.resolve("index/segments/one"), "segment");

        LocalFiles.delete(root);

        assertThat(root).doesNotExist();
        assertThat(folder).exists();
    }

    @Test
    void aFileGoesAlone() throws IOException {
        Path file = Files.writeString(folder.resolve("one"), "1");
        Path other = Files.writeString(folder.resolve("two"), "2");

        LocalFiles.delete(file);

        assertThat(file).doesNotExist();
        assertThat(other).exists();
    }

    @Test
    void whatIsAbsentIsFine() throws IOException {
        LocalFiles.delete(folder.resolve("none"));

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aLinkGoesAndItsTargetStays() throws IOException {
        Path target = Files.createDirectories(folder.resolve("target"));
        Path kept = Files.writeString(target.resolve("kept"), "kept");
        Path root = Files.createDirectories(folder.resolve("unit"));
        Files.createSymbolicLink(root.resolve("link"), target);

        LocalFiles.delete(root);

        assertThat(root).doesNotExist();
        assertThat(kept).exists();
    }
}
