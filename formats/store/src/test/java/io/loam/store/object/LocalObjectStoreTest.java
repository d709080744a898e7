package io.loam.store.object;

import io.loam.store.testing.ObjectStoreContract;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LocalObjectStoreTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() throws IOException {
        return LocalObjectStore.open(root());
    }

    private Path root() {
        return temporary.resolve("ware house ä");
    }

    @Test
    void leavesNoTemporaryFiles() throws IOException {
        try (ObjectStore store = open()) {
            store.put("a/b", bytes("x"));
            store.putAll(
                    List.of(
                            new ObjectStore.Put("a/c", bytes("y")),
                            new ObjectStore.Put("a/d", bytes("z"))));
            assertThatThrownBy(() -> store.put("a/b", bytes("x"))).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> store.putFile("a/e", temporary.resolve("missing")))
                    .hasMessageContaining("cannot write a/e");
        }
        try (Stream<Path> files = Files.list(root().resolve(".tmp"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void anObjectIsAFileThatOthersMayRead() throws IOException {
        try (ObjectStore store = open()) {
            store.put("a/b", bytes("x"));
            assertThat(store.localFile("a/b"))
                    .hasValueSatisfying(file -> assertThat(file).hasContent("x"));
            assertThat(store.localFile("a/c"))
                    .hasValueSatisfying(file -> assertThat(file).doesNotExist());
        }
    }

    @Test
    void hidesTemporaryFilesAndRemovesOldOnes() throws IOException {
        Path folder = Files.createDirectories(root().resolve(".tmp"));
        Path fresh = Files.write(folder.resolve("fresh"), bytes("x"));
        Path old = Files.write(folder.resolve("old"), bytes("x"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));

        try (ObjectStore store = open()) {
            assertThat(store.list("")).isEmpty();
        }

        assertThat(fresh).exists();
        assertThat(old).doesNotExist();
    }

    @Test
    void createsNothingUntilTheFirstPut() throws IOException {
        try (ObjectStore store = open()) {
            assertThat(store.list("")).isEmpty();
            assertThat(store.stat("a")).isEmpty();
        }
        assertThat(root()).doesNotExist();
    }

    @Test
    void saysWhenTheWarehouseIsNotWritable() throws IOException {
        Path file = Files.write(temporary.resolve("file"), bytes("x"));

        assertThatThrownBy(() -> LocalObjectStore.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not a directory");
        try (LocalObjectStore store = LocalObjectStore.open(file.resolve("below"))) {
            assertThatThrownBy(store::requireWritable)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the warehouse " + file.resolve("below"))
                    .hasMessageContaining("is not writable");
            assertThatThrownBy(() -> store.put("a", bytes("x")))
                    .hasMessageContaining("is not writable");
        }
    }

    @Test
    void refusesAnObjectBelowAnObject() throws IOException {
        try (ObjectStore store = open()) {
            store.put("a/b", bytes("x"));
            assertThatThrownBy(() -> store.put("a/b/c", bytes("y")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot create a/b/c");
            assertThatThrownBy(() -> store.put("a", bytes("y")))
                    .isInstanceOf(ObjectExistsException.class);
        }
    }

    @Test
    void uriNamesTheFile() throws IOException {
        try (ObjectStore store = open()) {
            store.put("a/b", bytes("x"));
            String uri = store.uri("a/b");
            assertThat(uri).startsWith("file:///").isASCII();
            assertThat(Path.of(URI.create(uri))).hasBinaryContent(bytes("x"));
            assertThat(store.nativeOptions()).isEmpty();
        }
    }

    @Test
    void twoStoresShareADirectory() throws IOException {
        try (ObjectStore one = open();
                ObjectStore two = open()) {
            one.put("a/b", bytes("x"));
            assertThat(two.get("a/b")).isEqualTo(bytes("x"));
            assertThatThrownBy(() -> two.put("a/b", bytes("y")))
                    .isInstanceOf(ObjectExistsException.class);
        }
    }
}
