package io.loam.s3;

import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.store.object.ObjectStore;
import io.loam.store.testing.ObjectStoreContract;

import org.junit.jupiter.api.BeforeAll;

import java.io.IOException;

/** The contract on Ceph's gateway; in the full form only. */
class CephObjectStoreITCase extends ObjectStoreContract {
    private static S3Server server;

    @BeforeAll
    static void startServer() throws IOException {
        server = S3Servers.ceph();
    }

    @Override
    protected ObjectStore open() {
        return new S3ObjectStoreProvider()
                .open("s3://" + S3Servers.newBucket(server) + "/w", server.properties());
    }
}
