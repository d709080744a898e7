package io.loam.jobs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A Flink cluster of separate processes on this machine. */
@Command(
        name = "cluster",
        description = "Start, look at and stop a Flink cluster of separate processes.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "<command>",
        subcommands = {
            ClusterStartCommand.class,
            ClusterStatusCommand.class,
            ClusterStopCommand.class,
            ClusterStopJobCommand.class
        })
final class ClusterCommand implements Runnable {
    @Spec CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "one of start, status, stop and stop-job is to follow");
    }
}
