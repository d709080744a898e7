package io.loam.jobs.cli;

import io.loam.jobs.cluster.Cluster;
import io.loam.jobs.cluster.Cluster.EndedJob;
import io.loam.jobs.cluster.Cluster.Stopped;

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
        Stopped stopped = cluster.stop(Duration.ofSeconds(grace));
        if (where.json) {
            out.println(json(stopped));
        } else if (stopped.processes() == 0) {
            out.println("no cluster runs in " + where.folders().run());
        } else {
            stopped.jobs().forEach(job -> out.println(text(job)));
            out.printf("%d processes ended%n", stopped.processes());
        }
        out.flush();
        return Loam.OK;
    }

    private static String text(EndedJob job) {
        String goesOn =
                job.checkpoint() == null
                        ? "it has no checkpoint"
                        : "it can go on with --from " + job.checkpoint();
        return "job " + job.id() + " (" + job.name() + ") ended; " + goesOn;
    }

    private static JsonOut json(Stopped stopped) {
        return new JsonOut()
                .put("ended", stopped.processes())
                .put(
                        "jobs",
                        stopped.jobs().stream()
                                .map(
                                        job ->
                                                new JsonOut()
                                                        .put("id", job.id())
                                                        .put("name", job.name())
                                                        .put("checkpoint", job.checkpoint()))
                                .toList());
    }
}
