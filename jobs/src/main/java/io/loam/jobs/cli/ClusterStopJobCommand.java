package io.loam.jobs.cli;

import io.loam.jobs.cluster.ClusterStatus;
import io.loam.jobs.cluster.FlinkCluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** Stops a job in a way that loses nothing and can be gone on from. */
@Command(
        name = "stop-job",
        description = "Stop a job with a savepoint and print the savepoint's path.",
        mixinStandardHelpOptions = true)
final class ClusterStopJobCommand implements Callable<Integer> {
    @Mixin ClusterArguments where;

    @Option(
            names = "--cluster",
            paramLabel = "<url>",
            description = "Address of the cluster (default: the one of --run-dir).")
    String url;

    @Option(
            names = "--savepoint-dir",
            paramLabel = "<url>",
            description = "Where to, as the cluster sees it (default: as it is configured).")
    String directory;

    @Parameters(index = "0", paramLabel = "<job id>", description = "The job.")
    String job;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (!job.matches("[0-9a-f]{32}")) {
            throw new CliException("\"" + job + "\" is no job id: 32 hexadecimal digits");
        }
        String savepoint = cluster().stopWithSavepoint(job, directory);
        PrintWriter out = spec.commandLine().getOut();
        out.println(
                where.json
                        ? new JsonOut().put("job", job).put("savepoint", savepoint).toString()
                        : savepoint);
        out.flush();
        return Loam.OK;
    }

    private FlinkCluster cluster() throws IOException {
        if (url != null) {
            return new FlinkCluster(url);
        }
        PrintWriter out = spec.commandLine().getOut();
        ClusterStatus status = where.cluster(where.folders(), out).status();
        if (status.nothing()) {
            throw new CliException(
                    "no cluster runs in " + where.folders().run() + "; name one with --cluster");
        }
        return new FlinkCluster(status.restUrl());
    }
}
