package io.loam.s3;

import io.loam.s3.testing.S3ProxyServer;
import io.loam.s3.testing.S3Server;
import io.loam.store.object.ObjectStore;
import io.loam.store.testing.ObjectStoreContract;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What every object store must do, on a server that speaks S3. */
class S3ObjectStoreITCase extends ObjectStoreContract {
    private static final AtomicInteger BUCKETS = new AtomicInteger();

    @TempDir static Path folder;
    private static S3Server server;

    @BeforeAll
    static void startServer() throws IOException {
        server = new S3ProxyServer(folder);
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @Override
    protected ObjectStore open() {
        String bucket = "contract-" + BUCKETS.incrementAndGet();
        server.createBucket(bucket);
        return store("s3://" + bucket + "/ware/house");
    }

    /** On files S3Proxy answers 500 when asked for an object below another. */
    @Override
    protected List<String> absentBeside(String path) {
        return List.of("ns/1/b", "ns/1", "ns/1/c/below");
    }

    private static ObjectStore store(String location) {
        return new S3ObjectStoreProvider().open(location, server.properties());
    }
}
