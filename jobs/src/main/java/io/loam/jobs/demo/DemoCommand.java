package io.loam.jobs.demo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Runs everything there is on real data. */
@Command(
        name = "demo",
        description = {
            "Load WordNet with embeddings of its glosses, change it, search it, verify it.",
            "A second run goes on where the first one was."
        },
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    @Option(
            names = "--dir",
            paramLabel = "<dir>",
            defaultValue = ".loam/demo",
            description = "Folder of broker, warehouse and metastore (default ${DEFAULT-VALUE}).")
    Path folder;

    @Option(
            names = "--docs",
            paramLabel = "<n|all>",
            defaultValue = "3000",
            description = "How many synsets (default ${DEFAULT-VALUE}).")
    String docs;

    @Option(
            names = "--vectors",
            paramLabel = "<n|all>",
            defaultValue = "all",
            description = "How many of them get an embedding (default ${DEFAULT-VALUE}).")
    String vectors;

    @Option(names = "--no-vectors", description = "No embeddings at all.")
    boolean noVectors;

    @Option(names = "--fresh", description = "Start over: remove what an earlier run left.")
    boolean fresh;

    @Option(
            names = "--parallelism",
            paramLabel = "<n>",
            defaultValue = "2",
            description = "Parallelism of the job (default ${DEFAULT-VALUE}).")
    int parallelism;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "<time>",
            defaultValue = "2s",
            description = "One manifest at most each interval (default ${DEFAULT-VALUE}).")
    String interval;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        int wantedVectors = noVectors ? 0 : count("--vectors", vectors);
        try (Demo demo =
                new Demo(
                        folder.toAbsolutePath().normalize(),
                        count("--docs", docs),
                        wantedVectors,
                        spec.commandLine().getOut())) {
            if (fresh) {
                demo.startOver();
            }
            return demo.run(parallelism, interval);
        }
    }

    private int count(String option, String text) {
        if (text.equals("all")) {
            return Integer.MAX_VALUE;
        }
        try {
            int count = Integer.parseInt(text);
            if (count >= 0) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Told below, with what is allowed.
        }
        throw new ParameterException(
                spec.commandLine(), option + " is a number or \"all\", not \"" + text + "\"");
    }
}
