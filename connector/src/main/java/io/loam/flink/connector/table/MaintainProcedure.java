package io.loam.flink.connector.table;

import io.loam.flink.connector.maintenance.LoamMaintenance;
import io.loam.flink.operators.maintain.MaintenanceReport;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.maintain.RoundReport.TaskReport;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code CALL sys.maintain('table')}: one round of side jobs, as a Flink job of the session. */
@Internal
public final class MaintainProcedure implements Procedure {
    private final Procedures procedures;

    MaintainProcedure(Procedures procedures) {
        this.procedures = procedures;
    }

    /**
     * Maintains a table.
     *
     * @param context gives the environment the job runs in
     * @param table its name, with or without its database
     * @return a row for each task, with the version it was published in; none if there was nothing
     *     to do, or somebody else is at it
     */
    @ProcedureHint(
            arguments = @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
            output =
                    @DataTypeHint(
                            "ROW<what STRING NOT NULL, detail STRING NOT NULL, version BIGINT>"))
    public Row[] call(ProcedureContext context, String table) throws Exception {
        LoamMaintenance maintenance;
        try (Warehouse opened = procedures.open();
                CollectionHandle collection = procedures.open(opened, "maintain", table)) {
            CollectionInfo info = collection.info();
            maintenance =
                    LoamMaintenance.builder()
                            .warehouse(procedures.warehouse())
                            .namespace(info.namespace())
                            .collections(info.name())
                            .once(true)
                            .build();
        }
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<MaintenanceReport> reports =
                maintenance
                        .addTo(context.getExecutionEnvironment())
                        .executeAndCollect("sys.maintain " + table)) {
            reports.forEachRemaining(report -> add(rows, report));
        }
        return rows.toArray(Row[]::new);
    }

    private static void add(List<Row> rows, MaintenanceReport report) {
        long version = report.round().version();
        for (TaskReport task : report.round().tasks()) {
            rows.add(
                    Row.of(
                            task.status().name().toLowerCase(Locale.ROOT),
                            task.task().describe() + ": " + task.text(),
                            version == 0 ? null : version));
        }
        if (!report.problem().isEmpty()) {
            rows.add(Row.of("not published", report.problem(), null));
        }
    }
}
