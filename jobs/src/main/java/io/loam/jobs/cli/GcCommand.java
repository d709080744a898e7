package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.chain.Retention;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.GcReport;
import io.loam.store.gc.WarehouseCollector;
import io.loam.store.metastore.CollectionInfo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import javax.annotation.Nullable;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;

/** Deletes what nothing needs any more. */
@Command(
        name = "gc",
        description = "Delete the objects no version needs any more; or show which, and why.",
        mixinStandardHelpOptions = true)
final class GcCommand implements Callable<Integer> {
    @Mixin WarehouseArguments warehouse;

    @Option(names = "--json", description = "Print JSON, one object a line, for programs.")
    boolean json;

    @Option(names = "--dry-run", description = "Delete nothing; show what would go.")
    boolean dryRun;

    @Option(names = "--kept", description = "With --dry-run: show what stays, too.")
    boolean kept;

    @Option(
            names = "--collection",
            paramLabel = "<name>",
            description = "This one only; default: all of the warehouse, and dropped ones.")
    @Nullable
    String collection;

    @Option(
            names = "--max-deletes",
            paramLabel = "<n>",
            defaultValue = "1000",
            description = "Most objects of a collection that go in a pass (default 1000).")
    int maxDeletes;

    @Option(names = "--until-done", description = "Pass after pass, until nothing goes.")
    boolean untilDone;

    @Option(
            names = "--keep-manifests",
            paramLabel = "<n>",
            defaultValue = "10",
            description = "So many superseded versions stay whatever their age (default 10).")
    int keepManifests;

    @Option(
            names = "--retention",
            paramLabel = "<time>",
            defaultValue = "24h",
            description = "So long superseded versions stay, at least the grace (default 24h).")
    String retention;

    @Option(
            names = "--grace",
            paramLabel = "<time>",
            defaultValue = "1h",
            description =
                    "Nothing younger goes; must exceed the longest query, and 30 min (default 1h).")
    String grace;

    @Option(
            names = "--max-clock-skew",
            paramLabel = "<time>",
            defaultValue = "5min",
            description = "How far the clocks of the stores may be apart (default 5min).")
    String maxClockSkew;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (kept && !dryRun) {
            throw new CliException("--kept shows what a dry run would keep; add --dry-run");
        }
        if (dryRun && untilDone) {
            throw new CliException("a dry run changes nothing, so that --until-done has no end");
        }
        GcOptions options = options();
        PrintWriter out = spec.commandLine().getOut();
        GcPrinter printer = json ? GcPrinter.json(out) : GcPrinter.text(out);
        boolean complete;
        try (Warehouse opened = warehouse.open()) {
            WarehouseCollector collector = new WarehouseCollector(opened, options);
            CollectionInfo only = only(opened);
            if (dryRun) {
                GcReport report = only == null ? collector.plan() : collector.plan(only);
                printer.plan(report, kept);
                complete = report.complete();
            } else {
                complete = sweep(opened, collector, only, printer);
            }
        }
        out.flush();
        return complete ? Loam.OK : Loam.FAILED;
    }

    private boolean sweep(
            Warehouse opened,
            WarehouseCollector collector,
            @Nullable CollectionInfo only,
            GcPrinter printer)
            throws Exception {
        String owner =
                "loam gc, process " + ProcessHandle.current().pid() + " since " + Instant.now();
        try (GcLease lease = GcLease.acquire(opened.metastore(), owner, GcLease.DEFAULT_TTL_MS)) {
            while (true) {
                GcReport report =
                        only == null ? collector.sweep(lease) : collector.sweep(only, lease);
                printer.done(report);
                if (!untilDone || report.deleted() == 0) {
                    return report.complete();
                }
            }
        }
    }

    @Nullable
    private CollectionInfo only(Warehouse opened) throws Exception {
        if (collection == null) {
            return null;
        }
        try (CollectionHandle handle = warehouse.collection(opened, collection)) {
            return handle.info();
        }
    }

    private GcOptions options() {
        try {
            return new GcOptions(
                    new Retention(
                            keepManifests, TimeOption.parse("--retention", retention).toMillis()),
                    TimeOption.parse("--grace", grace).toMillis(),
                    GcOptions.DEFAULT.stagingRetentionMs(),
                    maxDeletes,
                    TimeOption.parse("--max-clock-skew", maxClockSkew).toMillis());
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
    }
}
