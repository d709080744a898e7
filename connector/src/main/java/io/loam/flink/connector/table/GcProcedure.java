package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.gc.GcReport;
import io.loam.store.gc.GcResult;
import io.loam.store.gc.WarehouseCollector;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** {@code CALL sys.gc()}: one pass of garbage collection, as {@code loam gc}. */
@Internal
public final class GcProcedure implements Procedure {
    private final Procedures procedures;

    GcProcedure(Procedures procedures) {
        this.procedures = procedures;
    }

    /**
     * Collects garbage.
     *
     * @param context not used
     * @param table this one only; null for all of the warehouse
     * @param dryRun whether to delete nothing; null for no
     * @param maxDeletes most objects of a table that go; null for 1000
     * @return a row for each object that goes, and one for each table
     */
    @ProcedureHint(
            arguments = {
                @ArgumentHint(name = "table", type = @DataTypeHint("STRING"), isOptional = true),
                @ArgumentHint(name = "dry_run", type = @DataTypeHint("BOOLEAN"), isOptional = true),
                @ArgumentHint(name = "max_deletes", type = @DataTypeHint("INT"), isOptional = true)
            },
            output =
                    @DataTypeHint(
                            "ROW<what STRING NOT NULL, name STRING NOT NULL, detail STRING NOT"
                                    + " NULL, size_bytes BIGINT>"))
    public Row[] call(
            ProcedureContext context,
            @Nullable String table,
            @Nullable Boolean dryRun,
            @Nullable Integer maxDeletes)
            throws IOException {
        GcOptions options =
                maxDeletes == null
                        ? GcOptions.DEFAULT
                        : GcOptions.DEFAULT.withMaxDeletes(maxDeletes);
        boolean dry = Boolean.TRUE.equals(dryRun);
        try (Warehouse opened = procedures.open()) {
            WarehouseCollector collector = new WarehouseCollector(opened, options);
            CollectionInfo only = only(opened, table);
            if (dry) {
                return rows(only == null ? collector.plan() : collector.plan(only), true);
            }
            String owner =
                    "sys.gc, process " + ProcessHandle.current().pid() + " since " + Instant.now();
            try (GcLease lease =
                    GcLease.acquire(opened.metastore(), owner, GcLease.DEFAULT_TTL_MS)) {
                return rows(
                        only == null ? collector.sweep(lease) : collector.sweep(only, lease),
                        false);
            }
        }
    }

    @Nullable
    private CollectionInfo only(Warehouse opened, @Nullable String table) throws IOException {
        if (table == null) {
            return null;
        }
        try (CollectionHandle collection = procedures.open(opened, "gc", table)) {
            return collection.info();
        }
    }

    private static Row[] rows(GcReport report, boolean dry) {
        List<Row> rows = new ArrayList<>();
        for (GcReport.Root root : report.roots()) {
            GcResult result = root.result();
            if (result == null) {
                rows.add(Row.of("left alone", root.name(), root.failure(), null));
                continue;
            }
            for (Verdict verdict : result.gone(dry)) {
                rows.add(
                        Row.of(
                                dry ? "would go" : "deleted",
                                verdict.path(),
                                verdict.fate().reason(),
                                verdict.bytes()));
            }
            rows.add(
                    Row.of(
                            result.plan().damage() == null ? "collected" : "kept whole",
                            root.name(),
                            result.summary(dry),
                            result.bytes(dry)));
        }
        return rows.toArray(Row[]::new);
    }
}
