package io.loam.jobs.cli;

import io.loam.jobs.demo.DemoCommand;
import io.loam.store.LocalFiles;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The {@code loam} command. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 {@code verify} found
 * violations, 4 {@code get} found nothing.
 */
@Command(
        name = "loam",
        description = "Documents, text, vectors and keys in one snapshot, fed by a stream.",
        mixinStandardHelpOptions = true,
        versionProvider = Loam.Version.class,
        synopsisSubcommandLabel = "<command>",
        subcommands = {
            CreateCommand.class,
            ProduceCommand.class,
            ApplyCommand.class,
            DescribeCommand.class,
            ManifestsCommand.class,
            HistoryCommand.class,
            DiffCommand.class,
            GetCommand.class,
            SearchCommand.class,
            DeadLettersCommand.class,
            VerifyCommand.class,
            TagCommand.class,
            ScanPlanCommand.class,
            GcCommand.class,
            TrimCommand.class,
            EraseCommand.class,
            MaintainCommand.class,
            SqlCommand.class,
            ClusterCommand.class,
            DemoCommand.class
        })
public final class Loam {
    static final int OK = 0;
    static final int FAILED = 1;
    static final int VIOLATIONS = 3;
    static final int NOT_FOUND = 4;

    private static final String OWN_TEMP = "loam-tmp.";

    /** The version the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"loam " + text()};
        }

        static String text() {
            String version = Loam.class.getPackage().getImplementationVersion();
            return version == null ? "(not packaged)" : version;
        }
    }

    public static void main(String[] args) {
        sweepTempAtExit();
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Loam())
                .setExecutionExceptionHandler(Loam::explain)
                .setParameterExceptionHandler(Loam::refuse)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** One line, and where to read on; the whole usage would bury it. */
    private static int refuse(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        if (args.length == 0) {
            command.usage(command.getErr());
        } else {
            command.getErr()
                    .println(
                            "loam: "
                                    + ErrorText.line(e.getMessage())
                                    + "; see "
                                    + name
                                    + " --help");
        }
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static int explain(Exception e, CommandLine command, ParseResult parsed) {
        command.getOut().flush();
        command.getErr().println("loam: " + ErrorText.of(e));
        if (Boolean.getBoolean("loam.trace")) {
            e.printStackTrace(command.getErr());
        }
        return FAILED;
    }

    /** Native libraries are copied to the temp folder at load; bin/loam gives each run its own. */
    private static void sweepTempAtExit() {
        Path temp = Path.of(System.getProperty("java.io.tmpdir"));
        if (!temp.getFileName().toString().startsWith(OWN_TEMP)) {
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(temp), "sweep-temp"));
    }

    private static void delete(Path folder) {
        try {
            LocalFiles.delete(folder);
        } catch (IOException e) {
            // Something still writes there; the next command sweeps the folder.
            System.err.println("loam: left " + folder + " (" + e.getMessage() + ")");
        }
    }
}
