package io.loam.jobs.cli;

import io.loam.jobs.cluster.Cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Ends every process of a cluster. */
@Command(
        name = "stop",
        description =
                "End every process, by force where asking does not help. Running jobs end with it;"
                        + " their newest checkpoints stay.",
        mixinStandardHelpOptions = true)
final class ClusterStopCommand implements Callable<Integer> {
    @Mixin ClusterArguments where;

    @Option(
            names = "--grace",
            paramLabel = "<seconds>",
            defaultValue = "20",
            description = "How long a process has to end by itself (default ${DEFAULT-VALUE}).")
    int grace;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (grace < 0) {
            throw new CliException("--grace must not be negative, it is " + grace);
        }
        PrintWriter out = spec.commandLine().getOut();
        Cluster cluster = where.cluster(where.folders(), out);
        int ended = cluster.stop(Duration.ofSeconds(grace));
        if (where.json) {
            out.println(new JsonOut().put("ended", ended));
        } else if (ended == 0) {
            out.println("no cluster runs in " + where.folders().run());
        } else {
            out.printf("%d processes ended%n", ended);
        }
        out.flush();
        return Loam.OK;
    }
}
