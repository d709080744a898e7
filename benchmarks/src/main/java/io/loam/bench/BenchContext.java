package io.loam.bench;

import io.loam.store.LocalFiles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What figures measure with. */
public final class BenchContext {
    private final boolean shortForm;
    private final int runs;
    private final long seed;
    private final Path directory;
    private final Duration limit;
    private final boolean profile;
    private final List<String> repeated = new ArrayList<>();
    private int forks;

    BenchContext(
            boolean shortForm,
            int runs,
            long seed,
            Path directory,
            Duration limit,
            boolean profile) {
        this.shortForm = shortForm;
        this.runs = runs;
        this.seed = seed;
        this.directory = directory;
        this.limit = limit;
        this.profile = profile;
    }

    /** The one or the other size, by the form of the run. */
    public int size(int shortForm, int full) {
        return this.shortForm ? shortForm : full;
    }

    /** Paired runs to make. */
    public int runs() {
        return runs;
    }

    /** Seed of all generated input. */
    public long seed() {
        return seed;
    }

    /** A directory for input that arms share, kept until the session ends. */
    public Path inputs() throws IOException {
        return Files.createDirectories(directory.resolve("inputs"));
    }

    /** A directory for input that is the same in every session, and takes long to make. */
    public Path kept() throws IOException {
        return Files.createDirectories(directory.resolve("kept"));
    }

    /** Runs an arm with the JVM options of a benchmark: a heap of 2 GiB. */
    public Map<String, Double> fork(Class<? extends Arm> arm, Map<String, String> args)
            throws IOException, InterruptedException {
        return fork(arm, args, List.of("-Xmx2g"));
    }

    /**
     * Runs an arm in a JVM of its own, with an empty directory that is deleted afterwards. If it
     * fails, it is run again, once, and the figure's reason tells of it.
     *
     * @param jvmOptions besides those that Flink, Arrow and the native libraries need
     * @return what the arm measured
     * @throws IOException if the arm fails again or takes too long
     */
    public Map<String, Double> fork(
            Class<? extends Arm> arm, Map<String, String> args, List<String> jvmOptions)
            throws IOException, InterruptedException {
        try {
            return forkOnce(arm, args, jvmOptions, limit);
        } catch (IOException e) {
            repeated.add(e.getMessage());
            return forkOnce(arm, args, jvmOptions, limit);
        }
    }

    /** What failed and was run again since the last call. */
    List<String> takeRepeated() {
        List<String> taken = List.copyOf(repeated);
        repeated.clear();
        return taken;
    }

    /** The same, not run again: for what leaves something behind, or takes long. */
    public Map<String, Double> forkOnce(Class<? extends Arm> arm, Map<String, String> args)
            throws IOException, InterruptedException {
        return forkOnce(arm, args, List.of("-Xmx2g"), limit);
    }

    /**
     * The same with another time it may take.
     *
     * @param longest then it is killed
     */
    public Map<String, Double> forkOnce(
            Class<? extends Arm> arm,
            Map<String, String> args,
            List<String> jvmOptions,
            Duration longest)
            throws IOException, InterruptedException {
        String name = String.format("%03d-%s", ++forks, arm.getSimpleName());
        Path work = Files.createDirectories(directory.resolve("arms").resolve(name));
        Path log = Files.createDirectories(directory.resolve("logs")).resolve(name + ".log");
        Map<String, String> all = new LinkedHashMap<>(args);
        all.put(Arm.DIRECTORY, work.toString());
        List<String> options = new ArrayList<>(jvmOptions);
        if (profile) {
            Path recording = log.resolveSibling(name + ".jfr");
            options.add("-XX:StartFlightRecording=settings=profile,filename=" + recording);
        }
        try {
            return new ArmProcess(arm, all, options, work, log, longest).run();
        } finally {
            LocalFiles.delete(work);
        }
    }

    /**
     * One arm of a comparison: what to run, and a name for it.
     *
     * @param rounds how many rounds it runs in at most; fewer than all is for what no goal is
     *     compared with
     */
    public record Contestant(
            String name,
            Class<? extends Arm> arm,
            Map<String, String> args,
            List<String> jvmOptions,
            int rounds) {
        public Contestant(String name, Class<? extends Arm> arm, Map<String, String> args) {
            this(name, arm, args, List.of("-Xmx2g"));
        }

        public Contestant(
                String name,
                Class<? extends Arm> arm,
                Map<String, String> args,
                List<String> jvmOptions) {
            this(name, arm, args, jvmOptions, Integer.MAX_VALUE);
        }

        /** The same, in the first round only, and with half of the time. */
        public Contestant onlyOnce() {
            return inRounds(1);
        }

        /** The same, in the first rounds only. */
        public Contestant inRounds(int most) {
            return new Contestant(name, arm, args, jvmOptions, most);
        }
    }

    /**
     * Runs contestants in turn, A B A B and so on, as often as {@link #runs} says; one that fails
     * is left out from then on.
     *
     * @param failures takes their names, and why
     * @return by contestant, by quantity, one value for each run
     */
    public Map<String, Map<String, Samples>> inTurn(
            List<Contestant> contestants, Map<String, String> failures)
            throws IOException, InterruptedException {
        Map<String, Map<String, List<Double>>> measured = new LinkedHashMap<>();
        for (int run = 0; run < runs; run++) {
            for (Contestant one : contestants) {
                if (failures.containsKey(one.name()) || run >= one.rounds()) {
                    continue;
                }
                try {
                    add(measured.computeIfAbsent(one.name(), name -> new TreeMap<>()), fork(one));
                } catch (IOException e) {
                    failures.put(one.name(), e.getMessage());
                    measured.remove(one.name());
                }
            }
        }
        Map<String, Map<String, Samples>> samples = new LinkedHashMap<>();
        measured.forEach((name, values) -> samples.put(name, samples(values)));
        return samples;
    }

    private Map<String, Double> fork(Contestant one) throws IOException, InterruptedException {
        return one.rounds() == 1
                ? forkOnce(one.arm(), one.args(), one.jvmOptions(), limit.dividedBy(2))
                : fork(one.arm(), one.args(), one.jvmOptions());
    }

    private static void add(Map<String, List<Double>> to, Map<String, Double> run) {
        run.forEach(
                (quantity, value) ->
                        to.computeIfAbsent(quantity, q -> new ArrayList<>()).add(value));
    }

    private static Map<String, Samples> samples(Map<String, List<Double>> values) {
        Map<String, Samples> samples = new TreeMap<>();
        values.forEach((quantity, list) -> samples.put(quantity, new Samples(list)));
        return samples;
    }
}
