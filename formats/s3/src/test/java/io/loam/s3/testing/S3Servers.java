package io.loam.s3.testing;

import io.loam.codec.testing.Campaign;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;

/** Servers that all tests of a JVM share; they end with it. */
public final class S3Servers {
    private static final AtomicInteger BUCKETS = new AtomicInteger();
    private static S3Server proxy;
    private static S3Server ceph;

    private S3Servers() {}

    /** S3Proxy, which is always there. */
    public static synchronized S3Server s3Proxy() throws IOException {
        if (proxy == null) {
            proxy = new S3ProxyServer(Files.createTempDirectory("s3proxy"));
        }
        return proxy;
    }

    /**
     * Ceph's gateway. The test that asks is skipped, and says so, in the short form and where Ceph
     * is not installed.
     */
    public static synchronized S3Server ceph() throws IOException {
        if (ceph == null) {
            Assumptions.assumeTrue(Campaign.isFull(), "Ceph is part of the full form only");
            if (!CephServer.isInstalled()) {
                System.out.println(
                        "SKIPPED on Ceph: not installed (Debian: ceph-mon ceph-osd radosgw)");
            }
            Assumptions.assumeTrue(CephServer.isInstalled(), "Ceph is not installed");
            ceph = new CephServer(Files.createTempDirectory("ceph"));
        }
        return ceph;
    }

    /** Makes a bucket of a name that no other test has. */
    public static String newBucket(S3Server server) {
        String bucket = "loam-" + ProcessHandle.current().pid() + "-" + BUCKETS.incrementAndGet();
        server.createBucket(bucket);
        return bucket;
    }
}
