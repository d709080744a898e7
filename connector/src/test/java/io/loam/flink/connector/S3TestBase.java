package io.loam.flink.connector;

import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.s3.testing.WireProxy;
import io.loam.store.WarehouseOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A warehouse on an S3 server. Jobs reach it through a wire that notes and disturbs their requests;
 * the test itself looks at it directly.
 */
abstract class S3TestBase extends PipelineTestBase {
    WireProxy wire;
    private S3Report report;

    @RegisterExtension
    final BeforeEachCallback reportingS3 = context -> report = S3Report.of(context);

    abstract S3Server server() throws IOException;

    abstract String serverName();

    @Override
    WarehouseOptions newWarehouse() throws IOException {
        S3Server server = server();
        wire = new WireProxy(server.endpoint());
        return new WarehouseOptions(
                        "s3://" + S3Servers.newBucket(server) + "/ware/house", null, null, null)
                .withProperties(server.properties())
                .withMetastore("jdbc:sqlite:" + directory.resolve("metastore.db"), null, null);
    }

    @AfterEach
    @Override
    void stopEverything() throws Exception {
        try {
            super.stopEverything();
        } finally {
            if (wire != null) {
                wire.close();
            }
        }
    }

    /** The warehouse as the job sees it. */
    WarehouseOptions onTheWire(Map<String, String> more) {
        Map<String, String> properties = new HashMap<>(S3Server.properties(wire.endpoint()));
        properties.putAll(more);
        return warehouse.withProperties(properties);
    }

    @Override
    StreamJob job() {
        return new StreamJob(onTheWire(Map.of()), directory);
    }

    void reportS3(String what, String result) {
        report.add(serverName(), what, result);
    }
}
