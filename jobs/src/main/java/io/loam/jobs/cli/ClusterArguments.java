package io.loam.jobs.cli;

import io.loam.jobs.cluster.Cluster;
import io.loam.jobs.cluster.ClusterFolders;

import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;

/** Which cluster of this machine. */
final class ClusterArguments {
    @Option(
            names = "--run-dir",
            paramLabel = "<dir>",
            defaultValue = "${env:LOAM_CLUSTER:-.loam/cluster}",
            description =
                    "Folder of pid files, logs, checkpoints and the configuration in effect"
                            + " (default ${DEFAULT-VALUE}; LOAM_CLUSTER).")
    Path runDirectory;

    @Option(names = "--json", description = "Print JSON, one object a line, for programs.")
    boolean json;

    ClusterFolders folders() {
        return ClusterFolders.of(runDirectory.toAbsolutePath().normalize());
    }

    Cluster cluster(ClusterFolders folders, PrintWriter out) {
        return new Cluster(
                folders,
                line -> {
                    if (!json) {
                        out.println(line);
                        out.flush();
                    }
                });
    }
}
