package io.loam.flink.connector;

import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;

import java.io.IOException;

/** The same on Ceph's gateway; in the full form only. */
class CephPipelineITCase extends S3PipelineITCase {
    @Override
    S3Server server() throws IOException {
        return S3Servers.ceph();
    }

    @Override
    String serverName() {
        return "Ceph RGW";
    }
}
