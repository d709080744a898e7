package io.loam.flink.connector.table;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.KeyNotation;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.key.UuidText;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The key columns of a table as the key of a document.
 *
 * <pre>
 * one TINYINT .. BIGINT         U64, the number's 64 bits; a negative one is 2^64 above itself
 * one CHAR, VARCHAR             STR; of kind "key" any, as KeyNotation has it
 * one BINARY(16)                UUID
 * one CHAR, VARCHAR of "uuid"   UUID, in the one spelling that UUID.toString has
 * several of other types too    STR, the JSON array of the columns as JsonWriter writes them
 * </pre>
 */
final class KeyColumns implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int UUID_BYTES = 16;

    private enum Form {
        NUMBER,
        TEXT,
        ANY,
        UUID,
        UUID_TEXT,
        COMPOSITE
    }

    private final TableColumns columns;
    private final Form form;
    private final List<RowData.FieldGetter> getters = new ArrayList<>();
    private final List<JsonWriter> writers = new ArrayList<>();
    private final List<JsonReader> readers = new ArrayList<>();

    /**
     * The keys of a table.
     *
     * @throws ValidationException if a key column's type has no place in a key
     */
    KeyColumns(TableColumns columns) {
        this.columns = columns;
        for (int position : columns.key()) {
            LogicalType type = columns.get(position).type();
            requireKeyType(columns.get(position).name(), type);
            getters.add(RowData.createFieldGetter(type, position));
            writers.add(JsonWriter.of(type, columns.get(position).name()));
            readers.add(JsonReader.of(type));
        }
        this.form = form(columns);
    }

    private static void requireKeyType(String column, LogicalType type) {
        boolean fits =
                type.isAnyOf(
                                LogicalTypeFamily.INTEGER_NUMERIC,
                                LogicalTypeFamily.CHARACTER_STRING,
                                LogicalTypeFamily.BINARY_STRING,
                                LogicalTypeFamily.DATETIME)
                        || type.isAnyOf(LogicalTypeRoot.BOOLEAN, LogicalTypeRoot.DECIMAL);
        if (!fits) {
            throw new ValidationException(
                    "column "
                            + column
                            + ": the type "
                            + type.asSummaryString()
                            + " cannot be part of a key; whole numbers, strings, bytes, booleans,"
                            + " decimals, dates and times can");
        }
    }

    private static Form form(TableColumns columns) {
        if (columns.key().size() > 1) {
            return Form.COMPOSITE;
        }
        ColumnRole role = columns.get(columns.key().get(0)).role();
        if (role instanceof ColumnRole.Key) {
            return Form.ANY;
        }
        if (role instanceof ColumnRole.Source source && source.uuid()) {
            return Form.UUID_TEXT;
        }
        LogicalType type = columns.get(columns.key().get(0)).type();
        if (type.is(LogicalTypeFamily.INTEGER_NUMERIC)) {
            return Form.NUMBER;
        }
        if (type.is(LogicalTypeFamily.CHARACTER_STRING)) {
            return Form.TEXT;
        }
        boolean isUuid = type instanceof BinaryType binary && binary.getLength() == UUID_BYTES;
        return isUuid ? Form.UUID : Form.COMPOSITE;
    }

    /**
     * The key of a row.
     *
     * @throws ValueException if the row has none
     */
    PrimaryKey key(RowData row) {
        List<Object> values = new ArrayList<>(getters.size());
        for (int i = 0; i < getters.size(); i++) {
            Object value = getters.get(i).getFieldOrNull(row);
            if (value == null) {
                throw new ValueException(
                        "the key column " + columns.get(columns.key().get(i)).name() + " is null");
            }
            values.add(value);
        }
        return ofValues(values);
    }

    /** The key of values in the order of the key columns, none of them null. */
    PrimaryKey ofValues(List<Object> values) {
        try {
            return switch (form) {
                case NUMBER -> PrimaryKey.ofU64(((Number) values.get(0)).longValue());
                case TEXT -> PrimaryKey.ofString(values.get(0).toString());
                case ANY -> KeyNotation.parse(values.get(0).toString());
                case UUID -> PrimaryKey.ofUuid(uuid((byte[]) values.get(0)));
                case UUID_TEXT -> PrimaryKey.ofUuid(uuid(values.get(0).toString()));
                case COMPOSITE -> PrimaryKey.ofString(Json.text(composite(values)));
            };
        } catch (InvalidKeyException e) {
            throw new ValueException(e.getMessage(), e);
        }
    }

    /**
     * The key that a column's value says, in a table whose key it is alone. Empty if the value says
     * none: a key of several columns, or of a type that stands as JSON in it, may have been written
     * in another way than this table would.
     *
     * @param value as a literal of SQL
     * @return no key, if no document can have it
     */
    Optional<List<PrimaryKey>> lookup(TableColumns.TableColumn column, Object value) {
        boolean alone = form != Form.COMPOSITE && columns.isKey(columns.columns().indexOf(column));
        boolean fits =
                switch (form) {
                    case NUMBER -> value instanceof Number number && isLong(number);
                    case TEXT, ANY, UUID_TEXT -> value instanceof String;
                    case UUID -> value instanceof byte[] bytes && bytes.length == UUID_BYTES;
                    case COMPOSITE -> false;
                };
        if (!alone || !fits) {
            return Optional.empty();
        }
        try {
            return Optional.of(List.of(ofValues(List.of(value))));
        } catch (ValueException e) {
            return Optional.of(List.of()); // too long, or empty
        }
    }

    private static boolean isLong(Number number) {
        return number instanceof Byte
                || number instanceof Short
                || number instanceof Integer
                || number instanceof Long;
    }

    private static UUID uuid(byte[] bytes) {
        if (bytes.length != UUID_BYTES) {
            throw new ValueException("a UUID has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    /** Of one spelling only, or two texts that SQL tells apart would be one key. */
    private static UUID uuid(String text) {
        return UuidText.parse(text)
                .filter(uuid -> uuid.toString().equals(text))
                .orElseThrow(
                        () ->
                                new ValueException(
                                        "\""
                                                + text
                                                + "\" is no UUID such as"
                                                + " 123e4567-e89b-12d3-a456-426614174000, in lower"
                                                + " case and with hyphens"));
    }

    private JsonArray composite(List<Object> values) {
        List<JsonValue> parts = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            parts.add(writers.get(i).write(values.get(i)));
        }
        return new JsonArray(parts);
    }

    /**
     * The values of the key columns, in the order of the key.
     *
     * @throws ValueException if the key is of another form, as one that another program wrote
     */
    List<Object> values(PrimaryKey key) {
        PrimaryKey.Kind kind =
                switch (form) {
                    case ANY -> key.kind();
                    case NUMBER -> PrimaryKey.Kind.U64;
                    case UUID, UUID_TEXT -> PrimaryKey.Kind.UUID;
                    case TEXT, COMPOSITE -> PrimaryKey.Kind.STR;
                };
        if (key.kind() != kind) {
            throw new ValueException(
                    "the key "
                            + key
                            + " is a "
                            + key.kind()
                            + ", and the table's keys are "
                            + kind);
        }
        return switch (form) {
            case NUMBER -> List.of(readers.get(0).read(JsonInteger.of(key.u64())));
            case TEXT -> List.of(StringData.fromString(key.string()));
            case ANY -> List.of(StringData.fromString(KeyNotation.print(key)));
            case UUID -> List.of(bytes(key.uuid()));
            case UUID_TEXT -> List.of(StringData.fromString(key.uuid().toString()));
            case COMPOSITE -> parts(key);
        };
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(UUID_BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private List<Object> parts(PrimaryKey key) {
        JsonValue parsed;
        try {
            parsed = Json.parse(key.string().getBytes(StandardCharsets.UTF_8));
        } catch (JsonSyntaxException e) {
            parsed = new JsonString(key.string());
        }
        if (!(parsed instanceof JsonArray parts) || parts.values().size() != readers.size()) {
            throw new ValueException(
                    "the key " + key + " is no JSON array of " + readers.size() + " values");
        }
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < readers.size(); i++) {
            Object value = readers.get(i).read(parts.values().get(i));
            if (value == null) {
                throw new ValueException("the key " + key + " has a null in it");
            }
            values.add(value);
        }
        return values;
    }
}
