package io.loam.s3;

import io.loam.codec.testing.Campaign;
import io.loam.s3.testing.S3ProxyServer;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.WireFault;
import io.loam.s3.testing.WireProxy;
import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.s3.S3Client;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Requests that fail, with and without effect, and what becomes of the operation. */
class S3FaultsITCase {
    private static final String BUCKET = "faults";
    private static final String ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    private static final int PART = 5 << 20;
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    @TempDir static Path folder;
    private static S3Server server;
    private static WireProxy proxy;

    @TempDir Path temporary;
    private S3ObjectStore store;

    @BeforeAll
    static void startServer() throws IOException {
        server = new S3ProxyServer(folder);
        server.createBucket(BUCKET);
        proxy = new WireProxy(server.endpoint());
    }

    @AfterAll
    static void stopServer() throws IOException {
        proxy.close();
        server.close();
    }

    @BeforeEach
    void open() {
        store = storeThatWaits(1);
    }

    private static S3ObjectStore storeThatWaits(int seconds) {
        Map<String, String> properties = new HashMap<>(S3Server.properties(proxy.endpoint()));
        properties.put(S3Options.TIMEOUT_SECONDS, Integer.toString(seconds));
        return new S3ObjectStore(
                S3Settings.parse("s3://" + BUCKET + "/f" + FOLDERS.incrementAndGet(), properties),
                new S3Multipart.Sizes(PART, PART));
    }

    @AfterEach
    void close() {
        proxy.disturb((method, target) -> WireFault.NONE);
        store.close();
    }

    /** The first request of each kind meets the fault, the others pass. */
    private static void disturbOnce(WireFault fault, String method) {
        AtomicInteger count = new AtomicInteger();
        proxy.disturb(
                (m, target) ->
                        m.equals(method) && count.getAndIncrement() == 0 ? fault : WireFault.NONE);
    }

    private interface Operation {
        void run() throws IOException;
    }

    private static void disturbed(WireFault fault, String method, Operation operation)
            throws IOException {
        disturbOnce(fault, method);
        try {
            operation.run();
        } finally {
            proxy.disturb((m, target) -> WireFault.NONE);
        }
    }

    @ParameterizedTest
    @EnumSource(WireFault.class)
    void everyOperationOutlivesOneFault(WireFault fault) throws IOException {
        byte[] content = bytes("content of some length");
        Path file = Files.write(temporary.resolve("source"), content);

        disturbed(fault, "PUT", () -> store.put("a/one", content));
        disturbed(fault, "PUT", () -> store.putFile("a/two", file));
        disturbed(fault, "GET", () -> assertThat(store.get("a/one")).isEqualTo(content));
        if (fault.name().startsWith("SILENT") && !Campaign.isFull()) {
            return; // each operation would wait for its time-out
        }
        disturbed(fault, "PUT", () -> store.put("a/empty", new byte[0]));
        disturbed(
                fault, "GET", () -> assertThat(store.get("a/one", 11, 4)).isEqualTo(bytes("some")));
        disturbed(
                fault,
                "HEAD",
                () -> assertThat(store.stat("a/two")).get().returns(22L, ObjectInfo::size));
        disturbed(fault, "GET", () -> assertThat(store.list("a/")).hasSize(3));
        disturbed(fault, "GET", () -> store.download("a/two", temporary.resolve("target")));
        assertThat(temporary.resolve("target")).hasBinaryContent(content);
        disturbed(fault, "DELETE", () -> store.delete("a/one"));
        disturbed(fault, "POST", () -> store.deleteAll(List.of("a/two", "a/empty")));
        assertThat(store.list("")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(WireFault.class)
    void aTakenKeyStaysTakenOverAFault(WireFault fault) throws IOException {
        store.put("a/x", bytes("theirs"));

        disturbOnce(fault, "PUT");
        assertThatThrownBy(() -> store.put("a/x", bytes("ours!!")))
                .isInstanceOf(ObjectExistsException.class)
                .hasMessageContaining("a/x");
        disturbOnce(fault, "GET");
        assertThatThrownBy(() -> store.get("a/y")).isInstanceOf(ObjectNotFoundException.class);

        proxy.disturb((m, target) -> WireFault.NONE);
        assertThat(store.get("a/x")).isEqualTo(bytes("theirs"));
    }

    @Test
    void anOutcomeThatStaysUnknownIsLookedUp() throws Exception {
        store.close();
        store = storeThatWaits(60); // requests are counted, and none must time out
        disturb(WireFault.ERROR_AFTER, "PUT");
        store.put("a/done", bytes("mine"));
        assertThat(store.get("a/done")).isEqualTo(bytes("mine"));
        assertThatThrownBy(() -> store.put("a/done", bytes("other")))
                .isInstanceOf(ObjectExistsException.class);

        disturb(WireFault.ERROR_BEFORE, "PUT");
        proxy.forget();
        assertThatThrownBy(() -> store.put("a/never", bytes("mine")))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(ObjectExistsException.class)
                .hasMessageContaining("could not put s3://faults/f")
                .hasMessageContaining("/a/never: 500 InternalError")
                .satisfies(S3FaultsITCase::showsNoSecret);
        assertThat(putsOnceThereAre(8)).isEqualTo(8);
        proxy.disturb((m, target) -> WireFault.NONE);
        assertThat(store.stat("a/never")).isEmpty();
    }

    /** How many passed; the wire takes note of one after its answer has gone on. */
    private static long putsOnceThereAre(int expected) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (puts() < expected && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        return puts();
    }

    private static long puts() {
        return proxy.requests().stream().filter(r -> r.method().equals("PUT")).count();
    }

    private static void disturb(WireFault fault, String method) {
        proxy.disturb((m, target) -> m.equals(method) ? fault : WireFault.NONE);
    }

    private static void showsNoSecret(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        assertThat(text.toString()).doesNotContain(S3Server.SECRET_KEY);
    }

    @ParameterizedTest
    @EnumSource(WireFault.class)
    void largeObjectsGoInPartsAndOutliveFaults(WireFault fault) throws IOException {
        byte[] large = new byte[2 * PART + 12_345];
        new Random(7).nextBytes(large);
        String path = "data/" + ULID.toLowerCase(java.util.Locale.ROOT) + ".lance";
        Path file = Files.write(temporary.resolve("large"), large);

        proxy.forget();
        AtomicInteger parts = new AtomicInteger();
        AtomicInteger posts = new AtomicInteger();
        proxy.disturb(
                (method, target) ->
                        target.contains("partNumber=2") && parts.getAndIncrement() == 0
                                        || method.equals("POST")
                                                && target.contains("uploadId")
                                                && posts.getAndIncrement() == 0
                                ? fault
                                : WireFault.NONE);
        store.putFile(path, file);

        assertThat(proxy.requests()).anyMatch(r -> r.target().contains("partNumber=3"));
        proxy.disturb((m, target) -> WireFault.NONE);
        assertThat(store.get(path)).isEqualTo(large);
        assertThatThrownBy(() -> store.put(path, large)).isInstanceOf(ObjectExistsException.class);
    }

    @Test
    void largeObjectsOfOtherNamesGoInOneRequest() throws IOException {
        byte[] large = new byte[PART + 1];
        proxy.forget();
        store.put("_versions/d9223372036854775809.manifest", large);
        assertThat(proxy.requests()).noneMatch(r -> r.target().contains("upload"));
        store.put("manifests/00000000000000000042-" + ULID + ".pb", large);
        assertThat(proxy.requests()).anyMatch(r -> r.target().contains("partNumber=2"));
    }

    @Test
    void partsOfAFailedUploadAreFreed() throws IOException {
        proxy.disturb(
                (method, target) ->
                        target.contains("partNumber=2") ? WireFault.ERROR_BEFORE : WireFault.NONE);
        assertThatThrownBy(() -> store.put("text/" + ULID + ".split", new byte[2 * PART]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("could not put s3://faults/f");
        try (S3Client client = server.client()) {
            assertThat(client.listMultipartUploads(r -> r.bucket(BUCKET)).uploads()).isEmpty();
        }
    }

    @Test
    void saysWhatIsWrongWithBucketKeysAndServer() throws IOException {
        Map<String, String> good = server.properties();
        try (S3ObjectStore absent = store("s3://no-such-bucket/w", good)) {
            assertThatThrownBy(() -> absent.put("a", bytes("x")))
                    .hasMessageContaining("could not put s3://no-such-bucket/w/a: 404 NoSuchBucket")
                    .hasMessageContaining("make the bucket no-such-bucket first");
            assertThatThrownBy(() -> absent.get("a"))
                    .isNotInstanceOf(ObjectNotFoundException.class)
                    .hasMessageContaining("make the bucket no-such-bucket first");
            assertThatThrownBy(() -> absent.list(""))
                    .hasMessageContaining("make the bucket no-such-bucket first");
        }
        Map<String, String> wrongKey = new HashMap<>(good);
        wrongKey.put(S3Options.SECRET_KEY, "wrong-and-secret");
        try (S3ObjectStore refused = store("s3://" + BUCKET + "/w", wrongKey)) {
            assertThatThrownBy(() -> refused.put("a", bytes("x")))
                    .hasMessageContaining("403 ")
                    .hasMessageContaining("check the keys and the permissions")
                    .hasMessageNotContaining("wrong-and-secret");
        }
    }

    private static S3ObjectStore store(String location, Map<String, String> properties) {
        return new S3ObjectStore(S3Settings.parse(location, properties), S3Multipart.Sizes.DEFAULT);
    }

    @Test
    void aServerThatOverwritesIsRefused() throws IOException {
        S3ObjectStoreProvider provider = new S3ObjectStoreProvider();
        provider.requireWritable(store);
        assertThat(store.list("")).isEmpty();
        try (OverwritingServer overwriting = new OverwritingServer();
                S3ObjectStore careless =
                        store("s3://bucket/w", S3Server.properties(overwriting.endpoint()))) {
            assertThatThrownBy(() -> provider.requireWritable(careless))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the server of s3://bucket/w/")
                    .hasMessageContaining("overwrites objects");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
