package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.tag.Tags;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

import java.io.IOException;

/** {@code CALL sys.expire_tags('db.table')}: removes the tags that have expired. */
@Internal
public final class ExpireTagsProcedure implements Procedure {
    private final Procedures procedures;

    ExpireTagsProcedure(Procedures procedures) {
        this.procedures = procedures;
    }

    /**
     * Removes expired tags.
     *
     * @param context not used
     * @param table name of the table, with or without its database
     * @return a row for each tag that was removed
     */
    @ProcedureHint(
            arguments = @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
            output = @DataTypeHint("ROW<tag STRING NOT NULL>"))
    public Row[] call(ProcedureContext context, String table) throws IOException {
        try (Warehouse opened = procedures.open();
                CollectionHandle collection = procedures.open(opened, "expire_tags", table)) {
            return new Tags(collection)
                    .expire().stream().map(tag -> Row.of(tag.name())).toArray(Row[]::new);
        }
    }
}
