package io.loam.jobs.cli;

import io.loam.jobs.cluster.ClusterStatus;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** Shows what runs. */
@Command(
        name = "status",
        description =
                "Show processes, slots, jobs and addresses. Exit code 1 unless everything runs.",
        mixinStandardHelpOptions = true)
final class ClusterStatusCommand implements Callable<Integer> {
    @Mixin ClusterArguments where;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        ClusterStatus status = where.cluster(where.folders(), out).status();
        if (status.nothing() && !where.json) {
            out.println("no cluster runs in " + where.folders().run());
        } else {
            new ClusterText(status).print(out, where.json);
        }
        return status.complete() ? Loam.OK : Loam.FAILED;
    }
}
