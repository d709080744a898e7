package io.loam.store;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.object.ObjectStore;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(600)
class FailPointTest {
    @TempDir Path directory;

    @Test
    void isOffWithoutADirectory() {
        assertThat(FailPoint.held(null, null)).isNull();
        assertThat(FailPoint.held("", null)).isNull();
        assertThat(FailPoint.held(directory.toString(), null)).isNotNull();
        assertThat(FailPoint.held(null, directory.toString())).isNotNull();
        assertThat(FailPoint.isOn()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void offNothingIsHeldOrWritten(FailPoint point) throws Exception {
        Path work = Files.createDirectories(Path.of("").toAbsolutePath());
        List<Path> before = files(work);
        point.reach();
        assertThat(files(work)).isEqualTo(before);
    }

    @Test
    void offObjectsArePutAtOnce() throws Exception {
        try (ObjectStore objects = new InMemoryObjectStore()) {
            StoredObjects.putAll(objects, List.of(new ObjectStore.Put("a.stg", new byte[1])));
            StoredObjects.stored("a.stg");
            assertThat(objects.get("a.stg")).hasSize(1);
        }
    }

    @Test
    void unarmedPlacesPass() throws Exception {
        HeldThreads held = new HeldThreads(directory);
        held.hit("SWAPPED");
        write("SWAPPED.armed", "");
        held.hit("SWAPPED");
        write("BEFORE_SWAP.armed", "1");
        held.hit("SWAPPED");
        assertThat(files(directory))
                .extracting(path -> path.getFileName().toString())
                .containsExactly("BEFORE_SWAP.armed", "SWAPPED.armed");
    }

    @Test
    void theArmedHitIsHeldUntilTold() throws Exception {
        write("SWAPPED.armed", "3");
        // Two processes count together.
        HeldThreads one = new HeldThreads(directory);
        HeldThreads other = new HeldThreads(directory);
        one.hit("SWAPPED");
        other.hit("SWAPPED");
        assertThat(directory.resolve("SWAPPED.reached")).doesNotExist();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<?> third = threads.submit(() -> one.hit("SWAPPED"));
            awaitReached();
            assertThat(Files.readAllLines(directory.resolve("SWAPPED.reached")))
                    .hasSize(3)
                    .startsWith(Long.toString(ProcessHandle.current().pid()));
            other.hit("SWAPPED");
            assertThat(third.isDone()).isFalse();
            write("SWAPPED.go", "");
            third.get(5, TimeUnit.MINUTES);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void anInterruptedThreadGoesOnInterrupted() throws Exception {
        write("SWAPPED.armed", "1");
        boolean[] interrupted = new boolean[1];
        Thread thread =
                new Thread(
                        () -> {
                            new HeldThreads(directory).hit("SWAPPED");
                            interrupted[0] = Thread.currentThread().isInterrupted();
                        });
        thread.start();
        awaitReached();
        thread.interrupt();
        thread.join();
        assertThat(interrupted[0]).isTrue();
    }

    @Test
    void namesAFileThatHoldsNoNumber() throws Exception {
        write("SWAPPED.armed", "first");
        assertThatThrownBy(() -> new HeldThreads(directory).hit("SWAPPED"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("SWAPPED.armed must hold the number of a hit")
                .hasMessageContaining("\"first\"");
    }

    @Test
    void everyStoredObjectHasAPlace() {
        CollectionPaths paths = new CollectionPaths(1, 5);
        Ulid ulid = new UlidFactory(1_000).next();
        String data = ulid.toString().toLowerCase(java.util.Locale.ROOT) + ".lance";
        assertThat(StoredObjects.pointOf(paths.stagedDescriptor(ulid)))
                .contains(FailPoint.UNIT_DESCRIPTOR);
        assertThat(StoredObjects.pointOf(paths.lanceData(data))).contains(FailPoint.UNIT_ROWS);
        assertThat(StoredObjects.pointOf(paths.split(ulid))).contains(FailPoint.UNIT_SPLIT);
        assertThat(StoredObjects.pointOf(paths.stagedKeys(ulid))).contains(FailPoint.UNIT_KEYS);
        assertThat(StoredObjects.pointOf(paths.stagedDeadLetters(ulid)))
                .contains(FailPoint.UNIT_DEAD_LETTERS);
        assertThat(StoredObjects.pointOf(paths.lance() + "_deletions/1-1-1.bin"))
                .contains(FailPoint.PUT_DELETION_FILE);
        assertThat(StoredObjects.pointOf(paths.deleteBitmap(ulid, ulid)))
                .contains(FailPoint.PUT_DELETE_BITMAP);
        assertThat(StoredObjects.pointOf(paths.lanceVersion(Long.MIN_VALUE)))
                .contains(FailPoint.PUT_ROW_VERSION);
        assertThat(StoredObjects.pointOf(paths.pkDelta(1, ulid))).contains(FailPoint.PUT_KEY_DELTA);
        assertThat(StoredObjects.pointOf(paths.deadLetters(1, ulid)))
                .contains(FailPoint.PUT_DEAD_LETTERS);
        assertThat(StoredObjects.pointOf(paths.manifest(1, ulid))).contains(FailPoint.PUT_MANIFEST);
    }

    @Test
    void thePageListsEveryPlace() throws Exception {
        Path root = Path.of(System.getProperty("loam.root"));
        String page = Files.readString(root.resolve("docs/operations/failpoints.md"));
        for (FailPoint point : FailPoint.values()) {
            assertThat(page).contains("`" + point + "`");
        }
    }

    private void awaitReached() throws InterruptedException {
        while (!Files.exists(directory.resolve("SWAPPED.reached"))) {
            Thread.sleep(5);
        }
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.sorted().toList();
        }
    }
}
