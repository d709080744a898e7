package io.loam.store.testing;

import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What every object store must do. */
public abstract class ObjectStoreContract {
    private static final String PATH = "ns/1/collections/5/manifests/x.pb";

    @TempDir protected Path temporary;
    private ObjectStore store;

    /** Opens a store without objects. */
    protected abstract ObjectStore open() throws IOException;

    @BeforeEach
    void openStore() throws IOException {
        store = open();
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    @Test
    void givesBackWhatWasPut() throws IOException {
        store.put(PATH, bytes("hello"));
        store.put("ns/1/empty", new byte[0]);

        assertThat(store.get(PATH)).isEqualTo(bytes("hello"));
        assertThat(store.get("ns/1/empty")).isEmpty();
    }

    @Test
    void createsOnly() throws IOException {
        store.put(PATH, bytes("first"));

        assertThatThrownBy(() -> store.put(PATH, bytes("second")))
                .isInstanceOf(ObjectExistsException.class)
                .hasMessageContaining(PATH);
        assertThat(store.get(PATH)).isEqualTo(bytes("first"));
    }

    @Test
    void putsFilesAndLeavesThemWhereTheyAre() throws IOException {
        Path file = Files.write(temporary.resolve("source"), bytes("content"));

        store.putFile(PATH, file);

        assertThat(file).exists();
        Files.write(file, bytes("changed later"));
        assertThat(store.get(PATH)).isEqualTo(bytes("content"));
        assertThatThrownBy(() -> store.putFile(PATH, file))
                .isInstanceOf(ObjectExistsException.class);
        assertThatThrownBy(() -> store.putFile("ns/1/other", temporary.resolve("missing")))
                .isInstanceOf(IOException.class);
        assertThat(store.stat("ns/1/other")).isEmpty();
    }

    @Test
    void putsManyAtOnce() throws IOException {
        List<ObjectStore.Put> puts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            puts.add(new ObjectStore.Put("ns/1/many/" + i % 7 + "/" + i, bytes("v" + i)));
        }

        store.putAll(puts);
        store.putAll(List.of());
        store.putAll(List.of(new ObjectStore.Put("ns/1/alone", bytes("alone"))));

        assertThat(store.get("ns/1/alone")).isEqualTo(bytes("alone"));
        for (ObjectStore.Put put : puts) {
            assertThat(store.get(put.path())).isEqualTo(put.bytes());
        }
        assertThatThrownBy(
                        () ->
                                store.putAll(
                                        List.of(
                                                puts.get(0),
                                                new ObjectStore.Put("ns/1/new", bytes("n")))))
                .isInstanceOf(ObjectExistsException.class);
        assertThat(store.get(puts.get(0).path())).isEqualTo(bytes("v0"));
    }

    @Test
    void readsExactRanges() throws IOException {
        store.put(PATH, bytes("0123456789"));

        assertThat(store.get(PATH, 0, 10)).isEqualTo(bytes("0123456789"));
        assertThat(store.get(PATH, 3, 4)).isEqualTo(bytes("3456"));
        assertThat(store.get(PATH, 10, 0)).isEmpty();
        assertThatThrownBy(() -> store.get(PATH, 3, 8))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("10 bytes");
        assertThatThrownBy(() -> store.get(PATH, 0, Integer.MAX_VALUE))
                .isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> store.get(PATH, Long.MAX_VALUE, 1))
                .isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> store.get(PATH, -1, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.get(PATH, 0, -1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysWhatIsAbsent() throws IOException {
        store.put("ns/1/a", bytes("a"));

        for (String path : absentBeside("ns/1/a")) {
            assertThatThrownBy(() -> store.get(path))
                    .isInstanceOf(ObjectNotFoundException.class)
                    .hasMessageContaining(path);
            assertThatThrownBy(() -> store.get(path, 0, 1))
                    .isInstanceOf(ObjectNotFoundException.class);
            assertThatThrownBy(() -> store.download(path, temporary.resolve("target")))
                    .isInstanceOf(ObjectNotFoundException.class);
            assertThat(temporary.resolve("target")).doesNotExist();
            assertThat(store.stat(path)).isEmpty();
            store.delete(path);
        }
        assertThat(store.get("ns/1/a")).isEqualTo(bytes("a"));
    }

    /** Paths around an object at which there is none. */
    protected List<String> absentBeside(String path) {
        return List.of("ns/1/b", "ns/1", path + "/below");
    }

    @Test
    void downloadsToANewFile() throws IOException {
        store.put(PATH, bytes("content"));
        Path target = temporary.resolve("target");

        store.download(PATH, target);

        assertThat(target).hasBinaryContent(bytes("content"));
        assertThatThrownBy(() -> store.download(PATH, target))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> store.download(PATH, temporary.resolve("no/such/folder")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void statsAndListsByPrefix() throws IOException {
        long before = System.currentTimeMillis() - 2_000;
        for (String path : List.of("ns/1/b/2", "ns/1/b/1", "ns/1/bc/x", "ns/1/a", "ns/2/b/9")) {
            store.put(path, bytes(path));
        }

        assertThat(paths(store.list("ns/1/b")))
                .containsExactly("ns/1/b/1", "ns/1/b/2", "ns/1/bc/x");
        assertThat(paths(store.list("ns/1/b/"))).containsExactly("ns/1/b/1", "ns/1/b/2");
        assertThat(paths(store.list("ns/1/b/2"))).containsExactly("ns/1/b/2");
        assertThat(paths(store.list(""))).hasSize(5).isSorted();
        assertThat(store.list("ns/3/")).isEmpty();
        assertThat(store.list("nothing")).isEmpty();
        ObjectInfo info = store.stat("ns/1/a").orElseThrow();
        assertThat(info.path()).isEqualTo("ns/1/a");
        assertThat(info.size()).isEqualTo(6);
        assertThat(info.lastModifiedMs()).isGreaterThan(before);
        assertThat(store.list("ns/1/a")).containsExactly(info);
    }

    @Test
    void deletesManyAtOnce() throws IOException {
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            paths.add("ns/1/gone/" + i);
            store.put(paths.get(i), bytes("v"));
        }
        store.put("ns/1/stays", bytes("s"));
        paths.add("ns/1/never/was");

        store.deleteAll(paths);
        store.deleteAll(List.of());

        assertThat(paths(store.list(""))).containsExactly("ns/1/stays");
    }

    @Test
    void deletesAndMayCreateAgain() throws IOException {
        store.put(PATH, bytes("one"));

        store.delete(PATH);
        store.delete(PATH);

        assertThat(store.stat(PATH)).isEmpty();
        assertThat(store.list("")).isEmpty();
        store.put(PATH, bytes("two"));
        assertThat(store.get(PATH)).isEqualTo(bytes("two"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/a",
                "a/",
                "a//b",
                ".",
                "..",
                "a/..",
                "a/../../b",
                "./a",
                ".tmp/a",
                "a\\b",
                "a\0b",
                "a\nb"
            })
    void refusesBadPaths(String path) {
        assertThatThrownBy(() -> store.put(path, bytes("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bad object path");
        assertThatThrownBy(() -> store.get(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.delete(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.uri(path)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void oneOfManyRacersCreatesAnObject() throws Exception {
        int threads = 16;
        int rounds = 30;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Integer>> racers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int racer = t;
                racers.add(pool.submit(() -> race(start, rounds, racer)));
            }
            int won = 0;
            for (Future<Integer> racer : racers) {
                won += racer.get(10, TimeUnit.MINUTES);
            }
            assertThat(won).isEqualTo(rounds);
            assertThat(store.list("race/")).hasSize(rounds);
        } finally {
            pool.shutdownNow();
        }
    }

    private int race(CyclicBarrier start, int rounds, int racer) throws Exception {
        int won = 0;
        for (int round = 0; round < rounds; round++) {
            start.await(5, TimeUnit.MINUTES);
            String path = "race/" + round + "/object";
            byte[] mine = bytes("racer " + racer + " ".repeat(racer * 100));
            boolean winner = created(path, mine);
            byte[] seen = store.get(path);
            assertThat(new String(seen, StandardCharsets.UTF_8)).startsWith("racer ");
            assertThat(winner).isEqualTo(java.util.Arrays.equals(seen, mine));
            won += winner ? 1 : 0;
        }
        return won;
    }

    private boolean created(String path, byte[] bytes) throws IOException {
        try {
            store.put(path, bytes);
            return true;
        } catch (ObjectExistsException e) {
            return false;
        }
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    protected static List<String> paths(List<ObjectInfo> objects) {
        return objects.stream().map(ObjectInfo::path).toList();
    }
}
