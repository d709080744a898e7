package io.loam.codec.split;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.split.Hotcache.CachedFile;
import io.loam.codec.split.Hotcache.Slice;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HotcacheTest {
    private static final JsonObject EXAMPLE = example();
    private static final byte[] BYTES =
            HexFormat.of().parseHex(SplitFooterTest.string(EXAMPLE, "hex"));

    private static JsonObject example() {
        try (InputStream in = HotcacheTest.class.getResourceAsStream("/golden/split-footer.json")) {
            return (JsonObject)
                    Json.parseObject(in.readAllBytes()).members().get("hotcache_example");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, CachedFile> expectedFiles() {
        Map<String, CachedFile> files = new LinkedHashMap<>();
        ((JsonObject) EXAMPLE.members().get("files"))
                .members()
                .forEach((name, file) -> files.put(name, file((JsonObject) file)));
        return files;
    }

    private static CachedFile file(JsonObject file) {
        List<Slice> slices = new ArrayList<>();
        for (JsonValue slice : ((JsonArray) file.members().get("slices")).values()) {
            List<JsonValue> pair = ((JsonArray) slice).values();
            byte[] bytes = ((JsonString) pair.get(1)).value().getBytes(StandardCharsets.US_ASCII);
            slices.add(new Slice(((JsonInteger) pair.get(0)).value(), bytes));
        }
        return new CachedFile(((JsonInteger) file.members().get("len")).value(), slices);
    }

    @Test
    void readsAndWritesTheExample() {
        assertThat(Hotcache.parse("x", BYTES).files()).isEqualTo(expectedFiles());
        assertThat(new Hotcache(expectedFiles()).encode()).isEqualTo(BYTES);
    }

    @Test
    void findsTheExamplesRanges() {
        Hotcache hotcache = Hotcache.parse("x", BYTES);
        for (JsonValue value : ((JsonArray) EXAMPLE.members().get("lookups")).values()) {
            JsonObject lookup = (JsonObject) value;
            List<JsonValue> range = ((JsonArray) lookup.members().get("range")).values();
            long from = ((JsonInteger) range.get(0)).value();
            long to = ((JsonInteger) range.get(1)).value();

            CachedFile file = hotcache.files().get(SplitFooterTest.string(lookup, "file"));

            assertThat(file.read(from, to))
                    .hasValue(
                            SplitFooterTest.string(lookup, "ascii")
                                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(file.read(from, file.length())).isEmpty();
        }
    }

    @Test
    void anEmptyHotcacheIsOne() {
        byte[] bytes = new Hotcache(Map.of()).encode();
        assertThat(Hotcache.parse("x", bytes).files()).isEmpty();
        assertThatThrownBy(() -> Hotcache.parse("x.split", new byte[0]))
                .isInstanceOf(CorruptException.class)
                .hasMessage("x.split: hotcache: 0 bytes have no header");
    }

    @Test
    void slicesThatShareBytesAreRefused() {
        Hotcache twice =
                new Hotcache(
                        Map.of(
                                "f",
                                new CachedFile(
                                        100,
                                        List.of(
                                                new Slice(0, new byte[8]),
                                                new Slice(8, new byte[8])))));
        byte[] bytes = twice.encode();
        // The second slice's address is the last byte of the blob's meta.
        int address = bytes.length - Long.BYTES - 1;
        assertThat(bytes[address]).isEqualTo((byte) 8);
        bytes[address] = 0;
        assertThat(Hotcache.parse("x", bytes).files().get("f").slices()).hasSize(2);
        bytes[address - 1] = 20;
        assertThatThrownBy(() -> Hotcache.parse("x", bytes)).isInstanceOf(CorruptException.class);
    }

    @Test
    void damagedHotcachesAreCorruptAndNothingElse() {
        Damage.each(Damage.seeded(), BYTES, bytes -> Hotcache.parse("x", bytes).encode());
    }
}
