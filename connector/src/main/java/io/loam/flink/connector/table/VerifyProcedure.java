package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code CALL sys.verify('db.table')}: checks a collection and answers as {@code loam verify}
 * prints, without its stream.
 */
@Internal
public final class VerifyProcedure implements Procedure {
    private final Procedures procedures;

    VerifyProcedure(Procedures procedures) {
        this.procedures = procedures;
    }

    /**
     * Verifies a table's collection.
     *
     * @param context not used
     * @param table its name, with or without its database
     * @return one row for each count, skipped check and violation, and the verdict last
     */
    @ProcedureHint(
            arguments = @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
            output =
                    @DataTypeHint(
                            "ROW<what STRING NOT NULL, detail STRING NOT NULL, number BIGINT>"))
    public Row[] call(ProcedureContext context, String table) throws IOException {
        try (Warehouse opened = procedures.open();
                CollectionHandle collection = procedures.open(opened, "verify", table)) {
            return rows(Verifier.verify(collection));
        }
    }

    private static Row[] rows(VerifyReport report) {
        List<Row> rows = new ArrayList<>();
        report.counts().forEach((what, count) -> rows.add(Row.of("checked", what, count)));
        report.skipped().forEach(line -> rows.add(Row.of("skipped", line, null)));
        report.violations().forEach(line -> rows.add(Row.of("violation", line, null)));
        rows.add(
                Row.of(
                        "verified",
                        report.keys() + " keys, " + report.violationCount() + " violations",
                        report.violationCount()));
        return rows.toArray(Row[]::new);
    }
}
