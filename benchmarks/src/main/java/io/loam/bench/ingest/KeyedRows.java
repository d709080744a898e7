package io.loam.bench.ingest;

import io.loam.bench.input.Entry;
import io.loam.bench.input.InputFile;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/** Records as rows of tables: key and source. */
final class KeyedRows {
    static final String KEY = "k";
    static final String SOURCE = "source";

    private static final RowType TYPE =
            RowType.of(
                    new LogicalType[] {
                        new VarCharType(false, VarCharType.MAX_LENGTH),
                        new VarBinaryType(true, VarBinaryType.MAX_LENGTH)
                    },
                    new String[] {KEY, SOURCE});

    private KeyedRows() {}

    static TypeInformation<RowData> type() {
        return InternalTypeInfo.of(TYPE);
    }

    /** An upsert, or the delete of a key. */
    static RowData read(InputFile file, int record) {
        Entry entry = file.entry(record);
        GenericRowData row = GenericRowData.of(StringData.fromString(entry.key()), entry.json());
        if (entry.kind() == Entry.Kind.DELETE) {
            row.setRowKind(RowKind.DELETE);
        }
        return row;
    }
}
