package io.loam.jobs.cli;

import io.loam.jobs.cluster.FlinkCluster;

import picocli.CommandLine.Option;

/** A cluster to send jobs to. */
final class ClusterOption {
    @Option(
            names = "--cluster",
            paramLabel = "<url>",
            description =
                    "Address of a Flink session cluster, such as http://127.0.0.1:8081: submit the"
                            + " job there and return once it runs.")
    String url;

    @Option(
            names = "--from",
            paramLabel = "<path>",
            description = "With --cluster: go on from this savepoint or retained checkpoint.")
    String from;

    @Option(
            names = "--send-secrets",
            description =
                    "With --cluster: send the metastore's password and the secret keys of S3 as"
                            + " program arguments, which the cluster does not keep secret. Without"
                            + " it the cluster has them: loam.metastore-password and"
                            + " loam.s3.secret-key in its configuration, or"
                            + " LOAM_METASTORE_PASSWORD and LOAM_S3_SECRET_KEY in the job manager's"
                            + " environment.")
    boolean sendSecrets;

    boolean given() {
        return url != null;
    }

    FlinkCluster cluster() {
        return new FlinkCluster(url);
    }
}
