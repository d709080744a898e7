package io.loam.flink.connector.table;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.DataTypes.Field;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.DataType;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.apache.flink.table.api.DataTypes.FIELD;

/** Tables that tell of a collection: {@code <table>$manifests} and others. Read only. */
enum SystemTable {
    MANIFESTS(
            FIELD("version", DataTypes.BIGINT().notNull()),
            FIELD("path", DataTypes.STRING().notNull()),
            FIELD("kind", DataTypes.STRING().notNull()),
            FIELD("created_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
            FIELD("live_documents", DataTypes.BIGINT().notNull()),
            FIELD("splits", DataTypes.INT().notNull()),
            FIELD("deleted_documents", DataTypes.BIGINT().notNull()),
            FIELD("lance_version", unsigned()),
            FIELD("applied", DataTypes.MAP(DataTypes.INT(), DataTypes.BIGINT()).notNull()),
            FIELD("dead_letters_total", DataTypes.BIGINT().notNull()),
            FIELD("checkpoint", DataTypes.STRING())),
    SPLITS(
            FIELD("ulid", DataTypes.STRING().notNull()),
            FIELD("documents", DataTypes.BIGINT().notNull()),
            FIELD("deleted_documents", DataTypes.BIGINT().notNull()),
            FIELD("split_bytes", DataTypes.BIGINT().notNull()),
            FIELD("delete_bitmap", DataTypes.STRING()),
            FIELD("schema_version", DataTypes.BIGINT().notNull()),
            FIELD("created_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
            FIELD("merges", DataTypes.INT().notNull())),
    FRAGMENTS(
            FIELD("id", DataTypes.BIGINT().notNull()),
            FIELD("physical_rows", DataTypes.BIGINT().notNull()),
            FIELD("deleted_rows", DataTypes.BIGINT().notNull()),
            FIELD("live_rows", DataTypes.BIGINT().notNull()),
            FIELD("data_files", DataTypes.ARRAY(DataTypes.STRING()).notNull()),
            FIELD("data_bytes", DataTypes.BIGINT()),
            FIELD("deletion_file", DataTypes.STRING())),
    DEAD_LETTERS(
            FIELD("version", DataTypes.BIGINT().notNull()),
            FIELD("ingest_partition", DataTypes.INT().notNull()),
            FIELD("ingest_offset", unsigned()),
            FIELD("record_key", DataTypes.STRING()),
            FIELD("key_bytes", DataTypes.BYTES()),
            FIELD("value_bytes", DataTypes.BYTES()),
            FIELD("reason", DataTypes.STRING().notNull())),
    PK_DELTAS(
            FIELD("version", DataTypes.BIGINT().notNull()),
            FIELD("path", DataTypes.STRING().notNull()),
            FIELD("written", DataTypes.BIGINT().notNull()),
            FIELD("deleted", DataTypes.BIGINT().notNull())),
    TAGS(
            FIELD("tag", DataTypes.STRING().notNull()),
            FIELD("version", DataTypes.BIGINT().notNull()),
            FIELD("created_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
            FIELD("expires_at", DataTypes.TIMESTAMP_LTZ(3)),
            FIELD("expired", DataTypes.BOOLEAN().notNull()),
            FIELD("protected", DataTypes.BOOLEAN().notNull()),
            FIELD("description", DataTypes.STRING().notNull())),
    OPTIONS(
            FIELD("name", DataTypes.STRING().notNull()),
            FIELD("setting", DataTypes.STRING().notNull()));

    /** The option that marks a table as one of these. */
    static final String MARK = "system-table";

    private static final int UNSIGNED_DIGITS = 20;
    private static final char SEPARATOR = '$';

    private final List<Field> columns;

    SystemTable(Field... columns) {
        this.columns = List.of(columns);
    }

    /** 64 bits without a sign. */
    private static DataType unsigned() {
        return DataTypes.DECIMAL(UNSIGNED_DIGITS, 0).notNull();
    }

    /** The table as statements name it, behind the separator. */
    String suffix() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it tells of one version, which can be chosen. */
    boolean isOfOneVersion() {
        return this == SPLITS || this == FRAGMENTS;
    }

    DataType rows() {
        return DataTypes.ROW(columns).notNull();
    }

    CatalogTable table() {
        return CatalogTable.newBuilder()
                .schema(Schema.newBuilder().fromRowDataType(rows()).build())
                .options(Map.of(MARK, suffix()))
                .build();
    }

    /** Which one a marked table is; empty for any other table. */
    static Optional<SystemTable> marked(Map<String, String> options) {
        return named(options.get(MARK));
    }

    private static Optional<SystemTable> named(String suffix) {
        return Arrays.stream(values()).filter(one -> one.suffix().equals(suffix)).findFirst();
    }

    /** Which one a name means; empty if none. */
    static Optional<SystemTable> of(ObjectPath path) {
        String name = path.getObjectName();
        int at = name.lastIndexOf(SEPARATOR);
        return at <= 0 ? Optional.empty() : named(name.substring(at + 1));
    }

    /**
     * The version that a marked table is to be read at.
     *
     * @throws ValidationException if its options say anything else, or it tells of no one version
     */
    ReadVersion version(ObjectPath path, Map<String, String> options) {
        Map<String, String> given = new HashMap<>(options);
        given.remove(MARK);
        if (!given.isEmpty() && !isOfOneVersion()) {
            throw new ValidationException(
                    "table "
                            + path
                            + " is read as it is now and has no options: "
                            + new TreeMap<>(given));
        }
        try {
            return ReadVersion.of(given);
        } catch (ValidationException e) {
            throw new ValidationException("table " + path + ": " + e.getMessage(), e);
        }
    }

    /** The table that a system table tells of. */
    static ObjectPath subject(ObjectPath path) {
        String name = path.getObjectName();
        return new ObjectPath(
                path.getDatabaseName(), name.substring(0, name.lastIndexOf(SEPARATOR)));
    }
}
