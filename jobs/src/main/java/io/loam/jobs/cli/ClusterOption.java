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

    boolean given() {
        return url != null;
    }

    FlinkCluster cluster() {
        return new FlinkCluster(url);
    }
}
