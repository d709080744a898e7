package io.loam.jobs.cli;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.LocalFiles;
import io.loam.store.maintain.CompactionPolicy;
import io.loam.store.maintain.HotPolicy;
import io.loam.store.maintain.IndexPolicy;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenancePlanner;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.maintain.RoundReport;
import io.loam.store.maintain.RoundReport.Status;
import io.loam.store.maintain.RoundReport.TaskReport;
import io.loam.store.metastore.MetastoreException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Does the side jobs of one collection in this process. */
@Command(
        name = "maintain",
        description =
                "Merge splits and compact rows of the collection, now and whenever there is"
                        + " something to do.",
        mixinStandardHelpOptions = true)
final class MaintainCommand extends CollectionCommand {
    private static final long MS = 1_000;

    @Option(names = "--once", description = "End when there is nothing left to do.")
    boolean once;

    @Option(names = "--dry-run", description = "Do nothing; print what a round would do now.")
    boolean dryRun;

    @Option(
            names = "--interval",
            paramLabel = "<seconds>",
            defaultValue = "30",
            description = "How long to wait after a round without progress (${DEFAULT-VALUE}).")
    int intervalSeconds;

    @Option(
            names = "--merge",
            paramLabel = "<setting=value>",
            description =
                    "A setting of the merge policy: enabled, factor, max-factor, min-level-docs,"
                            + " maturation-ms, target-docs, max-docs, max-bytes,"
                            + " purge-min-deleted, purge-deleted-ppm, join; may be repeated.")
    Map<String, String> merge = new TreeMap<>();

    @Option(
            names = "--index",
            paramLabel = "<setting=value>",
            description =
                    "A setting of the index policy: enabled, first-rows, delta-rows,"
                            + " max-segments, key-rows; may be repeated.")
    Map<String, String> index = new TreeMap<>();

    @Option(
            names = "--compact",
            paramLabel = "<setting=value>",
            description =
                    "A setting of the compaction policy: enabled, target-rows,"
                            + " min-small-fragments, deleted-ppm, tasks-per-run; may be repeated.")
    Map<String, String> compact = new TreeMap<>();

    @Option(
            names = "--hot",
            paramLabel = "<setting=value>",
            description =
                    "A setting of when hot graphs are built anew: enabled, inserted-rows,"
                            + " inserted-ppm, stale-ms; may be repeated.")
    Map<String, String> hot = new TreeMap<>();

    @Override
    int run(CollectionHandle handle) throws Exception {
        MaintenanceOptions options = options(handle);
        if (dryRun) {
            plan(handle, options);
            return Loam.OK;
        }
        Path work = Files.createTempDirectory("loam-maintain");
        try {
            return rounds(handle, options, work);
        } finally {
            LocalFiles.delete(work);
        }
    }

    private MaintenanceOptions options(CollectionHandle handle) {
        if (intervalSeconds < 1) {
            throw new CliException("--interval must be at least a second, not " + intervalSeconds);
        }
        // A lease lets its own owner in again; two commands must not take each other for it.
        return MaintenanceOptions.of("loam maintain/" + handle.ulids().next())
                .withMerge(settings("--merge", () -> MergePolicy.DEFAULT.with(merge)))
                .withCompaction(settings("--compact", () -> CompactionPolicy.DEFAULT.with(compact)))
                .withIndex(settings("--index", () -> IndexPolicy.DEFAULT.with(index)))
                .withHot(settings("--hot", () -> HotPolicy.DEFAULT.with(hot)));
    }

    private static <T> T settings(String option, Supplier<T> policy) {
        try {
            return policy.get();
        } catch (IllegalArgumentException e) {
            throw new CliException(option + ": " + e.getMessage(), e);
        }
    }

    private int rounds(CollectionHandle handle, MaintenanceOptions options, Path work)
            throws IOException, InterruptedException {
        MaintenanceRound round = new MaintenanceRound(handle, options, work);
        long failed = 0;
        while (true) {
            RoundReport report;
            try {
                report = round.run();
            } catch (IOException | CorruptException e) {
                if (once || isGone(e)) {
                    throw e;
                }
                // The stores may be back for the next round.
                spec.commandLine().getErr().println("loam: " + ErrorText.of(e));
                Thread.sleep(intervalSeconds * MS);
                continue;
            }
            failed += report.count(Status.FAILED);
            boolean ends = once && !report.progressed();
            if (report.progressed() || !report.tasks().isEmpty() || ends) {
                print(report);
            }
            if (ends) {
                return failed == 0 ? Loam.OK : Loam.FAILED;
            }
            if (!report.progressed()) {
                Thread.sleep(intervalSeconds * MS);
            }
        }
    }

    private static boolean isGone(Exception e) {
        return e instanceof MetastoreException metastore
                && metastore.code() == MetastoreException.Code.COLLECTION_NOT_FOUND;
    }

    private void print(RoundReport report) {
        for (TaskReport task : report.tasks()) {
            String status = task.status().name().toLowerCase(Locale.ROOT);
            if (json) {
                out().println(
                                new JsonOut()
                                        .put("task", task.task().describe())
                                        .put("status", status)
                                        .put("version", report.version())
                                        .put("text", task.text()));
            } else {
                out().println(status + ": " + ErrorText.line(task.text()));
            }
        }
        if (!json) {
            report.held().forEach(out()::println);
            out().println(
                            report.progressed()
                                    ? "version " + report.version()
                                    : report.tasks().isEmpty() && report.held().isEmpty()
                                            ? "nothing to do"
                                            : "no version");
        }
        out().flush();
    }

    private void plan(CollectionHandle handle, MaintenanceOptions options) throws IOException {
        List<MaintenanceTask> tasks = new MaintenancePlanner(options).plan(handle);
        CollectionManifest live = handle.live().manifest();
        for (MaintenanceTask task : tasks) {
            List<SplitRef> inputs = inputs(task, live);
            if (json) {
                out().println(
                                new JsonOut()
                                        .put("task", task.describe())
                                        .put("splits", inputs.size())
                                        .put("documents", sum(inputs, SplitRef::docCount))
                                        .put("deleted", sum(inputs, SplitRef::deletedCount))
                                        .put("bytes", sum(inputs, SplitRef::sizeBytes)));
            } else {
                out().println(
                                "would "
                                        + task.describe()
                                        + (inputs.isEmpty()
                                                ? ""
                                                : ": "
                                                        + sum(inputs, SplitRef::docCount)
                                                        + " documents ("
                                                        + sum(inputs, SplitRef::deletedCount)
                                                        + " deleted), "
                                                        + sum(inputs, SplitRef::sizeBytes)
                                                        + " bytes"));
            }
        }
        if (tasks.isEmpty() && !json) {
            out().println("nothing to do");
        }
    }

    private static List<SplitRef> inputs(MaintenanceTask task, CollectionManifest live) {
        return task instanceof MergeSplits merge
                ? live.splits().stream()
                        .filter(split -> merge.inputs().contains(split.ulid()))
                        .toList()
                : List.of();
    }

    private static long sum(List<SplitRef> splits, ToLongFunction<SplitRef> size) {
        return splits.stream().mapToLong(size).sum();
    }
}
