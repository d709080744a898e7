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

/** {@code CALL sys.delete_tag('db.table', 'name')}: takes a name back. */
@Internal
public final class DeleteTagProcedure implements Procedure {
    private final Procedures procedures;

    DeleteTagProcedure(Procedures procedures) {
        this.procedures = procedures;
    }

    /**
     * Deletes a tag.
     *
     * @param context not used
     * @param table name of the table, with or without its database
     * @param tag name of the tag
     * @return the name of the tag
     */
    @ProcedureHint(
            arguments = {
                @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
                @ArgumentHint(name = "tag", type = @DataTypeHint("STRING"))
            },
            output = @DataTypeHint("ROW<tag STRING NOT NULL>"))
    public Row[] call(ProcedureContext context, String table, String tag) throws IOException {
        try (Warehouse opened = procedures.open();
                CollectionHandle collection = procedures.open(opened, "delete_tag", table)) {
            new Tags(collection).delete(tag);
            return new Row[] {Row.of(tag)};
        }
    }
}
