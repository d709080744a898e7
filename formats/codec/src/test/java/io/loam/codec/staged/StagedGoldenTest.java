package io.loam.codec.staged;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.Golden;
import io.loam.codec.manifest.SplitRef;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every case of staged.json. */
class StagedGoldenTest {
    private static final Golden FILE = Golden.file("staged.json");

    private static final Map<String, Function<byte[], Object>> DECODERS =
            Map.of(
                    "OPSU", bytes -> UnitDescriptorCodec.decode(bytes, "the/path"),
                    "OPSK", bytes -> KeyListCodec.decode(bytes, "the/path"),
                    "OPSD", bytes -> DeadLetterPartCodec.decode(bytes, "the/path"));

    private static final Map<String, String> ERRORS =
            Map.of(
                    "Corrupt: keys must ascend", "keys must ascend: a follows ",
                    "Corrupt: key", "unknown key tag 0x04",
                    "Corrupt: left over", "1 bytes are left over",
                    "Corrupt: ends early", "left",
                    "Corrupt: magic", "wrong magic: found OPDL, expected OPSD",
                    "Corrupt: unknown version 0", "unknown version 0, expected 1",
                    "Corrupt: unknown version 2", "unknown version 2, expected 1");

    @Test
    void everySectionIsKnown() {
        assertThat(FILE.members().keySet())
                .isEqualTo(Set.of("provenance", "objects", "rejects", "units", "unit_rejects"));
    }

    static Stream<Golden> objects() {
        return FILE.get("objects").list().stream();
    }

    @ParameterizedTest
    @MethodSource("objects")
    void objectsDecodeAndEncode(Golden object) {
        byte[] bytes = object.get("hex").hex();
        assertThat(bytes).hasSize((int) object.get("len").u64());
        switch (object.get("magic").text()) {
            case "OPSU" -> {
                UnitDescriptor expected = descriptor(object.get("descriptor"));
                assertThat(UnitDescriptorCodec.decode(bytes, "x")).isEqualTo(expected);
                assertThat(UnitDescriptorCodec.encode(expected)).isEqualTo(bytes);
            }
            case "OPSK" -> {
                List<KeyChange> changes =
                        new ArrayList<>(
                                object.get("changes").list().stream()
                                        .map(StagedGoldenTest::change)
                                        .toList());
                assertThat(KeyListCodec.decode(bytes, "x")).isEqualTo(changes);
                Collections.reverse(changes);
                assertThat(KeyListCodec.encode(changes)).isEqualTo(bytes);
            }
            case "OPSD" -> {
                List<DeadLetter> letters =
                        new ArrayList<>(
                                object.get("letters").list().stream()
                                        .map(StagedGoldenTest::letter)
                                        .toList());
                assertThat(DeadLetterPartCodec.decode(bytes, "x"))
                        .usingRecursiveComparison()
                        .isEqualTo(letters);
                Collections.reverse(letters);
                assertThat(DeadLetterPartCodec.encode(letters)).isEqualTo(bytes);
            }
            default -> throw new AssertionError("unknown magic " + object.get("magic").text());
        }
    }

    @ParameterizedTest
    @MethodSource("objects")
    void everyFlippedBitAndChangedLengthIsRefused(Golden object) {
        byte[] bytes = object.get("hex").hex();
        Function<byte[], Object> decoder = DECODERS.get(object.get("magic").text());
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> decoder.apply(flipped))
                    .as("bit " + bit)
                    .isInstanceOf(CorruptException.class);
        }
        for (int length : new int[] {bytes.length - 1, bytes.length + 1}) {
            assertThatThrownBy(() -> decoder.apply(Arrays.copyOf(bytes, length)))
                    .isInstanceOf(CorruptException.class);
        }
    }

    static Stream<Golden> rejects() {
        return FILE.get("rejects").list().stream();
    }

    @ParameterizedTest
    @MethodSource("rejects")
    void brokenObjectsAreRefused(Golden reject) {
        String error = reject.get("error").text();
        assertThat(ERRORS).containsKey(error);
        Function<byte[], Object> decoder = DECODERS.get(reject.get("magic").text());
        assertThatThrownBy(() -> decoder.apply(reject.get("hex").hex()))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: ")
                .hasMessageContaining(ERRORS.get(error));
    }

    static Stream<Golden> units() {
        return FILE.get("units").list().stream();
    }

    @ParameterizedTest
    @MethodSource("units")
    void unitsDecodeAndEncode(Golden unit) {
        byte[] bytes = unit.get("hex").hex();
        StagedUnit expected = unit(unit.get("unit"));
        assertThat(StagedUnitCodec.decode(bytes)).isEqualTo(expected);
        assertThat(StagedUnitCodec.encode(expected)).isEqualTo(bytes);
    }

    static Stream<Golden> unitRejects() {
        return FILE.get("unit_rejects").list().stream();
    }

    @ParameterizedTest
    @MethodSource("unitRejects")
    void brokenUnitsAreRefused(Golden reject) {
        String error = reject.get("error").text();
        assertThat(ERRORS).containsKey(error);
        assertThatThrownBy(() -> StagedUnitCodec.decode(reject.get("hex").hex()))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("staged unit: ")
                .hasMessageContaining(ERRORS.get(error));
    }

    @Test
    void aKeyListHoldsAKeyOnce() {
        KeyChange change = new KeyChange(PrimaryKey.ofString("a"), 1L, 2L);
        assertThatThrownBy(() -> KeyListCodec.encode(List.of(change, change)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("keys must ascend: a follows a");
    }

    private static UnitDescriptor descriptor(Golden d) {
        return new UnitDescriptor(
                ulid(d.get("unit")),
                ulid(d.get("incarnation")),
                d.get("created_at_ms").u64(),
                d.get("paths").list().stream().map(Golden::text).toList());
    }

    private static KeyChange change(Golden c) {
        return new KeyChange(
                PrimaryKey.parseCanonical(c.get("key_hex").hex()),
                c.get("old").isNull() ? null : c.get("old").u64(),
                c.get("new").isNull() ? null : c.get("new").u64());
    }

    private static DeadLetter letter(Golden l) {
        return new DeadLetter(
                (int) l.get("partition").u64(),
                l.get("offset").u64(),
                l.get("key_hex").isNull() ? null : l.get("key_hex").hex(),
                l.get("value_hex").isNull() ? null : l.get("value_hex").hex(),
                l.get("reason").text());
    }

    private static StagedUnit unit(Golden u) {
        return new StagedUnit(
                ulid(u.get("unit")),
                u.get("created_at_ms").u64(),
                u.get("schema_version").u64(),
                u.get("row_id_base").u64(),
                u.get("first_row_id").u64(),
                u.get("row_count").u64(),
                u.get("data_file").text(),
                u.get("data_file_bytes").u64(),
                u.get("columns").list().stream()
                        .map(
                                c ->
                                        new UnitColumn(
                                                c.get("column").text(),
                                                (int) c.get("dimension").u64()))
                        .toList(),
                u.get("split").isNull() ? null : split(u.get("split")),
                u.get("key_changes").u64(),
                u.get("key_list_bytes").u64(),
                u.get("dead_letters").u64(),
                u.get("dead_letter_bytes").u64());
    }

    private static SplitRef split(Golden s) {
        return new SplitRef(
                ulid(s.get("ulid")),
                s.get("doc_count").u64(),
                s.get("deleted_count").u64(),
                s.get("size_bytes").u64(),
                s.get("footer").list().get(0).u64(),
                s.get("footer").list().get(1).u64(),
                s.get("ranges").ranges(),
                s.get("delete_bitmap").text(),
                s.get("schema_version").u64(),
                s.get("created_at_ms").u64(),
                (int) s.get("merge_ops").u64(),
                (int) s.get("footer_crc32c").u64());
    }

    private static Ulid ulid(Golden text) {
        return Ulid.parse(text.text());
    }
}
