package io.loam.jobs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Names for versions. */
@Command(
        name = "tag",
        description = "Give versions names, which keep them; list and delete names.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "<command>",
        subcommands = {
            TagCreateCommand.class,
            TagListCommand.class,
            TagDeleteCommand.class,
            TagExpireCommand.class
        })
final class TagCommand implements Runnable {
    @Spec CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "one of create, list, delete and expire is to follow");
    }
}
