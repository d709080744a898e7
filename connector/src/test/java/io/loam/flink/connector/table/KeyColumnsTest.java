package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Key columns as keys. */
class KeyColumnsTest {
    private static KeyColumns keys(DataType... types) {
        List<TableColumn> columns = new ArrayList<>();
        for (DataType type : types) {
            columns.add(
                    new TableColumn(
                            "c" + columns.size(), type.getLogicalType(), new ColumnRole.Source()));
        }
        return new KeyColumns(
                new TableColumns(columns, IntStream.range(0, types.length).boxed().toList()));
    }

    private static void check(KeyColumns keys, PrimaryKey key, Object... values) {
        assertThat(keys.key(GenericRowData.of(values))).isEqualTo(key);
        assertThat(keys.values(key)).containsExactly(values);
    }

    @Test
    void oneColumnIsAKeyOfItsKind() {
        check(keys(DataTypes.BIGINT()), PrimaryKey.ofU64(7), 7L);
        check(keys(DataTypes.BIGINT()), PrimaryKey.ofU64(-1), -1L);
        check(keys(DataTypes.INT()), PrimaryKey.ofU64(7), 7);
        check(keys(DataTypes.STRING()), PrimaryKey.ofString("é"), StringData.fromString("é"));
        byte[] bytes = new byte[16];
        bytes[15] = 1;
        check(keys(DataTypes.BINARY(16)), PrimaryKey.ofUuid(new UUID(0, 1)), bytes);
    }

    @Test
    void theTextOfAUuidIsAUuid() {
        KeyColumns keys =
                new KeyColumns(
                        new TableColumns(
                                List.of(
                                        new TableColumn(
                                                "c",
                                                DataTypes.STRING().getLogicalType(),
                                                new ColumnRole.Source(true))),
                                List.of(0)));
        UUID uuid = new UUID(-1, 7);
        check(keys, PrimaryKey.ofUuid(uuid), StringData.fromString(uuid.toString()));
        for (String text : List.of("x", uuid.toString().toUpperCase(Locale.ROOT), "")) {
            assertThatThrownBy(() -> keys.key(GenericRowData.of(StringData.fromString(text))))
                    .isInstanceOf(ValueException.class)
                    .hasMessageStartingWith("\"" + text + "\" is no UUID such as");
        }
    }

    @Test
    void otherColumnsAreAJsonArray() {
        check(
                keys(DataTypes.STRING(), DataTypes.INT()),
                PrimaryKey.ofString("[\"a\",1]"),
                StringData.fromString("a"),
                1);
        check(keys(DataTypes.BOOLEAN()), PrimaryKey.ofString("[true]"), true);
    }

    @Test
    void aKeyThatIsNoneIsRefused() {
        assertThatThrownBy(() -> keys(DataTypes.INT()).key(GenericRowData.of((Object) null)))
                .isInstanceOf(ValueException.class)
                .hasMessage("the key column c0 is null");
        assertThatThrownBy(
                        () ->
                                keys(DataTypes.STRING())
                                        .key(
                                                GenericRowData.of(
                                                        StringData.fromString("x".repeat(513)))))
                .isInstanceOf(ValueException.class)
                .hasMessageContaining("1..512 bytes");
    }

    @Test
    void aKeyOfAnotherFormIsRefused() {
        assertThatThrownBy(() -> keys(DataTypes.BIGINT()).values(PrimaryKey.ofString("a")))
                .isInstanceOf(ValueException.class)
                .hasMessageContaining("STR")
                .hasMessageContaining("U64");
        for (String text : List.of("a", "[1]", "{}", "[\"a\",null]", "[\"a\",\"b\"]")) {
            assertThatThrownBy(
                            () ->
                                    keys(DataTypes.STRING(), DataTypes.INT())
                                            .values(PrimaryKey.ofString(text)))
                    .isInstanceOf(ValueException.class);
        }
        assertThatThrownBy(() -> keys(DataTypes.INT()).values(PrimaryKey.ofU64(1L << 40)))
                .isInstanceOf(ValueException.class);
    }

    @Test
    void typesThatMakeNoKeyAreRefusedByName() {
        assertThatThrownBy(() -> keys(DataTypes.DOUBLE()))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("column c0")
                .hasMessageContaining("DOUBLE");
    }
}
