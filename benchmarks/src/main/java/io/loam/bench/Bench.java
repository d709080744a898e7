package io.loam.bench;

import io.loam.store.LocalFiles;

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code bin/loam bench}: measures figures and prints them beside their targets. */
@Command(
        name = "loam bench",
        description = "Measures figures, each system in a JVM of its own, and prints verdicts.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            " 0: all of it was measured, whatever the verdicts",
            " 1: failed",
            " 2: wrong arguments",
            " 3: some of the figures could not be measured"
        })
public final class Bench implements Callable<Integer> {
    private static final String ALL = "all";
    private static final String JMH = "jmh";
    private static final int NOT_ALL_MEASURED = 3;

    @Parameters(
            description = "all, figures such as T1 T3, or: jmh [pattern and options of JMH]",
            arity = "1..*")
    private List<String> what;

    @Option(
            names = "--short",
            description = "Small sizes and one run each: shows that all works, measures nothing.")
    private boolean shortForm;

    @Option(names = "--runs", description = "Paired runs of each figure; default 5, or 1 if short.")
    private Integer runs;

    @Option(names = "--seed", description = "Seed of generated input; default ${DEFAULT-VALUE}.")
    private long seed = 42;

    @Option(
            names = "--limit",
            description = "Seconds an arm may take; default ${DEFAULT-VALUE}.",
            paramLabel = "<s>")
    private int limit = 180;

    @Option(
            names = "--profile",
            description = "Records each arm with the JDK's flight recorder, beside its log.")
    private boolean profile;

    @Option(
            names = "--out",
            description = "Directory of results, logs and input; default ${DEFAULT-VALUE}.",
            paramLabel = "<dir>")
    private Path out = Path.of(".loam", "bench");

    @Option(
            names = "--doc",
            description = "Also writes the measured part of a page such as docs/benchmarks.md.",
            paramLabel = "<file>")
    private Path doc;

    private final PrintWriter console = new PrintWriter(System.out, true);

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals(JMH)) {
            String[] rest = java.util.Arrays.copyOfRange(args, 1, args.length);
            new Runner(new CommandLineOptions(rest)).run();
            return;
        }
        System.exit(new CommandLine(new Bench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        List<Figure> chosen = chosen();
        Path directory = Files.createDirectories(out.toAbsolutePath().normalize());
        for (String old : List.of("arms", "logs", "inputs")) {
            LocalFiles.delete(directory.resolve(old));
        }
        BenchContext context =
                new BenchContext(
                        shortForm, runs(), seed, directory, Duration.ofSeconds(limit), profile);
        Session session = Session.start(shortForm, runs(), seed, command());
        Report before = new Report(List.of());
        if (doc != null) {
            MeasuredPart.around(doc); // not found out at the end
            before = Report.read(beside(".json"));
        }
        List<Measured> measured = new ArrayList<>();
        for (Figure figure : chosen) {
            measured.add(measure(figure, context, session));
            // What is measured stays, whatever becomes of the rest.
            write(new Report(measured), before, directory);
        }
        LocalFiles.delete(directory.resolve("inputs"));
        show(measured, directory);
        return measured.stream().allMatch(Measured::isMeasured) ? 0 : NOT_ALL_MEASURED;
    }

    private int runs() {
        return runs != null ? runs : shortForm ? 1 : 5;
    }

    private String command() {
        return "bin/loam bench "
                + String.join(" ", what)
                + (shortForm ? " --short" : "")
                + (runs != null ? " --runs " + runs : "")
                + (seed != 42 ? " --seed " + seed : "");
    }

    private List<Figure> chosen() {
        if (what.equals(List.of(ALL))) {
            return Figures.all();
        }
        List<Figure> chosen = new ArrayList<>();
        for (String id : what) {
            chosen.add(
                    Figures.all().stream()
                            .filter(figure -> figure.id().equalsIgnoreCase(id))
                            .findFirst()
                            .orElseThrow(() -> unknown(id)));
        }
        return chosen;
    }

    private CommandLine.ParameterException unknown(String id) {
        return new CommandLine.ParameterException(
                new CommandLine(this),
                "there is no figure \""
                        + id
                        + "\"; there are "
                        + Figures.all().stream().map(Figure::id).collect(Collectors.joining(", ")));
    }

    private Measured measure(Figure figure, BenchContext context, Session session)
            throws InterruptedException {
        console.printf(Locale.ROOT, "%s: %s ...%n", figure.id(), figure.what());
        long started = System.nanoTime();
        FigureResult result;
        try {
            result = figure.measure(context);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | Error e) {
            // One figure less; the others go on.
            result =
                    FigureResult.notMeasured(
                            e.getMessage() == null ? e.toString() : e.getMessage());
        }
        for (String failure : context.takeRepeated()) {
            result = result.and("run again, as it had failed: " + failure);
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        Measured measured = Measured.of(figure, result, seconds, session);
        console.printf(Locale.ROOT, "%s%n", TextTable.figure(measured));
        return measured;
    }

    private void write(Report report, Report before, Path directory) throws IOException {
        report.write(directory.resolve("results.json"));
        Files.writeString(directory.resolve("results.svg"), Plot.of(report.measured()));
        if (doc != null) {
            Report all = report.over(before, Figures.all().stream().map(Figure::id).toList());
            all.write(beside(".json"));
            Files.writeString(beside(".svg"), Plot.of(all.measured()));
            MeasuredPart.write(doc, all);
        }
    }

    /** A file beside the page, of its name. */
    private Path beside(String extension) {
        String page = doc.getFileName().toString();
        return doc.resolveSibling(page.replaceFirst("\\.md$", "") + extension);
    }

    private void show(List<Measured> measured, Path directory) {
        console.printf(Locale.ROOT, "%n%s%n", TextTable.of(measured));
        double seconds = measured.stream().mapToDouble(Measured::seconds).sum();
        console.printf(Locale.ROOT, "measured in %.1f min%n", seconds / 60);
        console.printf(
                Locale.ROOT,
                "%s%n%s%nlogs: %s%n",
                directory.resolve("results.json"),
                directory.resolve("results.svg"),
                directory.resolve("logs"));
        if (doc != null) {
            console.printf(
                    Locale.ROOT,
                    "wrote the measured part of %s; figures that were not measured now stand there"
                            + " as they did%n",
                    doc);
        }
    }
}
