package io.loam.flink.connector.table;

import io.loam.store.spi.StoredRow;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Metadata columns a table can be read with: {@code <column> <type> METADATA FROM '<key>'}. */
enum TableMetadata {
    ROW_ID("_rowid", DataTypes.BIGINT().notNull()),
    INGEST_PARTITION("_ingest_partition", DataTypes.INT().notNull()),
    INGEST_OFFSET("_ingest_offset", DataTypes.BIGINT().notNull()),
    VERSION("_version", DataTypes.BIGINT().notNull()),
    SOURCE("_source", DataTypes.STRING().notNull());

    private final String key;
    private final DataType type;

    TableMetadata(String key, DataType type) {
        this.key = key;
        this.type = type;
    }

    /** By key, as Flink lists them. */
    static Map<String, DataType> types() {
        Map<String, DataType> types = new LinkedHashMap<>();
        for (TableMetadata metadata : values()) {
            types.put(metadata.key, metadata.type);
        }
        return types;
    }

    static TableMetadata of(String key) {
        return Arrays.stream(values()).filter(one -> one.key.equals(key)).findFirst().orElseThrow();
    }

    /** The value of a row of a version. */
    Object value(StoredRow row, long version) {
        return switch (this) {
            case ROW_ID -> row.rowId();
            case INGEST_PARTITION -> row.ingestPartition();
            case INGEST_OFFSET -> row.ingestOffset();
            case VERSION -> version;
            case SOURCE -> StringData.fromBytes(row.source());
        };
    }
}
