package io.loam.store.object;

import io.loam.store.object.ObjectStore.Put;
import io.loam.store.retry.Retry;
import io.loam.store.retry.RetryOptions;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.InMemoryObjectStore;
import io.loam.store.testing.ObjectStoreContract;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RetryingObjectStoreTest extends ObjectStoreContract {
    private static final RetryOptions THREE = new RetryOptions(3, 10, 10);

    @TempDir Path dir;
    private final InMemoryObjectStore memory = new InMemoryObjectStore();
    private final FaultPlan faults = FaultPlan.scripted();
    private final List<Long> pauses = new ArrayList<>();
    private final ObjectStore store =
            new RetryingObjectStore(
                    new FailingObjectStore(memory, faults), new Retry(THREE, pauses::add, () -> 0));

    @Override
    protected ObjectStore open() {
        return new RetryingObjectStore(
                new InMemoryObjectStore(), Retry.of(new RetryOptions(2, 1, 1)));
    }

    @Test
    void aPutThatFailedIsRepeated() throws IOException {
        faults.once("put a", Fault.BEFORE).once("put a", Fault.AFTER);
        store.put("a", new byte[] {1});
        assertThat(memory.get("a")).containsExactly(1);
        assertThat(pauses).hasSize(2);
    }

    @Test
    void ofAPutWithoutAnswerTheSameBytesAreItsOwnAndOthersAreNot() throws IOException {
        faults.once("put a", Fault.AFTER);
        store.put("a", new byte[] {1});
        faults.onceRun("put b", () -> memory.corrupt("b", new byte[] {9}))
                .once("put b", Fault.BEFORE);
        assertThatThrownBy(() -> store.put("b", new byte[] {1}))
                .isInstanceOf(ObjectExistsException.class);
        assertThatThrownBy(() -> store.put("a", new byte[] {1}))
                .as("a put that did not fail before knows nothing of itself")
                .isInstanceOf(ObjectExistsException.class);
    }

    @Test
    void theSameHoldsForFiles() throws IOException {
        Path file = dir.resolve("f");
        byte[] large = new byte[(4 << 20) + 7];
        large[large.length - 1] = 3;
        Files.write(file, large);
        faults.once("put f", Fault.AFTER);
        store.putFile("f", file);
        assertThat(memory.get("f")).isEqualTo(large);

        for (byte[] other : List.of(new byte[large.length], new byte[3])) {
            memory.corrupt("g", other);
            faults.once("put g", Fault.BEFORE);
            assertThatThrownBy(() -> store.putFile("g", file))
                    .isInstanceOf(ObjectExistsException.class);
        }
    }

    @Test
    void ofManyPutsOnlyTheMissingAreRepeated() throws IOException {
        List<Put> puts =
                List.of(
                        new Put("a", new byte[] {1}),
                        new Put("b", new byte[] {2}),
                        new Put("c", new byte[] {3}));
        faults.once("put b", Fault.BEFORE).once("put c", Fault.AFTER);
        store.putAll(puts);
        assertThat(memory.list("")).hasSize(3);
        assertThat(faults.operations().stream().filter("put a"::equals)).hasSize(1);
        assertThat(faults.operations().stream().filter("put b"::equals)).hasSize(2);

        faults.once("put d", Fault.BEFORE);
        assertThatThrownBy(
                        () ->
                                store.putAll(
                                        List.of(
                                                new Put("d", new byte[] {4}),
                                                new Put("b", new byte[] {9}))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("an object already exists at b");
    }

    @Test
    void aPutThatLandsBetweenTheLookAndTheNextAttemptIsItsOwn() throws IOException {
        faults.once("put a", Fault.BEFORE)
                .onceRun("put a", () -> memory.corrupt("a", new byte[] {1}));
        store.putAll(List.of(new Put("a", new byte[] {1})));
        assertThat(memory.get("a")).containsExactly(1);
        assertThat(pauses).hasSize(2);
    }

    @Test
    void readsAreRepeated() throws IOException {
        memory.put("a", new byte[] {1, 2, 3});
        faults.once("get a", Fault.BEFORE).once("stat a", Fault.BEFORE).once("list", Fault.BEFORE);
        assertThat(store.get("a")).hasSize(3);
        assertThat(store.stat("a")).isPresent();
        assertThat(store.list("")).hasSize(1);
        faults.once("get a", Fault.BEFORE);
        assertThat(store.get("a", 1, 2)).containsExactly(2, 3);
        faults.once("download a", Fault.AFTER);
        store.download("a", dir.resolve("a"));
        assertThat(dir.resolve("a")).hasBinaryContent(new byte[] {1, 2, 3});
        faults.once("delete a", Fault.AFTER);
        store.delete("a");
        assertThat(memory.stat("a")).isEmpty();
    }

    @Test
    void aStoreThatRetriesItselfIsLeftAlone() throws IOException {
        ObjectStore own =
                (ObjectStore)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {ObjectStore.class},
                                (proxy, method, arguments) ->
                                        method.getName().equals("retries") ? true : null);
        Retry retry = Retry.of(THREE);
        assertThat(RetryingObjectStore.over(own, retry)).isSameAs(own);
        ObjectStore wrapped = RetryingObjectStore.over(memory, retry);
        assertThat(wrapped).isInstanceOf(RetryingObjectStore.class);
        assertThat(RetryingObjectStore.over(wrapped, retry)).isSameAs(wrapped);
    }

    @Test
    void givesUpAndNamesTheObject() {
        faults.once("get a", Fault.BEFORE).once("get a", Fault.BEFORE).once("get a", Fault.BEFORE);
        assertThatThrownBy(() -> store.get("a"))
                .hasMessage("get a failed 3 times: injected before get a");
        assertThat(pauses).hasSize(2);
    }

    @Test
    void whatStaysIsNotRepeated() {
        assertThatThrownBy(() -> store.get("absent")).isInstanceOf(ObjectNotFoundException.class);
        assertThatThrownBy(() -> store.download("absent", dir.resolve("x")))
                .isInstanceOf(ObjectNotFoundException.class);
        assertThat(pauses).isEmpty();
        for (IOException stays :
                List.of(
                        new ObjectNotFoundException("a"),
                        new ObjectExistsException("a"),
                        new EOFException(),
                        new AccessDeniedException("a"),
                        new InterruptedIOException(),
                        new ClosedByInterruptException())) {
            assertThat(RetryingObjectStore.mayPass(stays)).as(stays.toString()).isFalse();
        }
        assertThat(RetryingObjectStore.mayPass(new SocketTimeoutException())).isTrue();
        assertThat(RetryingObjectStore.mayPass(new IOException())).isTrue();
    }
}
