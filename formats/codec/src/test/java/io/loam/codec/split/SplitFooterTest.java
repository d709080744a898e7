package io.loam.codec.split;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.split.SplitFooter.BundledFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SplitFooterTest {
    private static final String PATH = "text/splits/x.split";
    private static final JsonObject GOLDEN = golden();

    private static JsonObject golden() {
        try (InputStream in =
                SplitFooterTest.class.getResourceAsStream("/golden/split-footer.json")) {
            return Json.parseObject(in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<JsonObject> bundles() {
        return ((JsonArray) GOLDEN.members().get("bundles"))
                .values().stream().map(JsonObject.class::cast);
    }

    static Stream<String> openChecks() {
        return ((JsonArray) GOLDEN.members().get("open_checks"))
                .values().stream().map(value -> ((JsonString) value).value());
    }

    @Test
    void constantsAreThePinnedOnes() {
        assertThat(GOLDEN.members())
                .containsEntry("bundle_metadata_magic", JsonInteger.of(SplitFooter.METADATA_MAGIC))
                .containsEntry(
                        "hotcache_magic", JsonInteger.of(Integer.toUnsignedLong(Hotcache.MAGIC)))
                .containsEntry("trailer_version", JsonInteger.of(SplitFooter.TRAILER_VERSION));
        byte[] trailer = SplitFooter.trailer(0);
        assertThat(new String(trailer, trailer.length - 4, 4, StandardCharsets.US_ASCII))
                .isEqualTo(string(GOLDEN, "trailer_magic"));
    }

    @ParameterizedTest
    @MethodSource("bundles")
    void readsEveryBundle(JsonObject bundle) {
        byte[] object = hex(bundle);
        int start = footerStart(bundle);
        SplitFooter footer = SplitFooter.parse(PATH, start, footer(bundle));

        assertThat(footer.start()).isEqualTo(start);
        assertThat(footer.end()).isEqualTo(object.length);
        for (String member : bundle.members().keySet()) {
            checkMember(bundle, member, object, footer);
        }
    }

    private static void checkMember(
            JsonObject bundle, String member, byte[] object, SplitFooter footer) {
        JsonValue value = bundle.members().get(member);
        switch (member) {
            case "files" -> {
                List<String> files =
                        footer.files().stream()
                                .map(file -> file.name() + "=" + content(object, file))
                                .toList();
                assertThat(files)
                        .isEqualTo(
                                ((JsonArray) value)
                                        .values().stream()
                                                .map(file -> ((JsonString) file).value())
                                                .toList());
            }
            case "hotcache_ascii" ->
                    assertThat(new String(footer.hotcache(), StandardCharsets.US_ASCII))
                            .isEqualTo(((JsonString) value).value());
            case "total_len" -> assertThat(object.length).isEqualTo(((JsonInteger) value).value());
            case "footer_range" ->
                    assertThat(value)
                            .isEqualTo(
                                    new JsonArray(
                                            List.of(
                                                    JsonInteger.of(footer.start()),
                                                    JsonInteger.of(footer.end()))));
            case "bytes_5_to_10" -> {
                List<JsonValue> bytes = ((JsonArray) value).values();
                for (int i = 0; i < bytes.size(); i++) {
                    assertThat(object[5 + i] & 0xffL)
                            .isEqualTo(((JsonInteger) bytes.get(i)).value());
                }
            }
            case "name", "hex", "provenance", "note" -> {}
            default -> throw new AssertionError("unknown member " + member);
        }
    }

    private static String content(byte[] object, BundledFile file) {
        return new String(
                object, (int) file.start(), (int) file.length(), StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @MethodSource("bundles")
    void writesEveryBundleAgain(JsonObject bundle) {
        SplitFooter footer = SplitFooter.parse(PATH, footerStart(bundle), footer(bundle));

        assertThat(footer.encode()).isEqualTo(footer(bundle));
    }

    @ParameterizedTest
    @MethodSource("openChecks")
    void everyOpenCheckRefuses(String check) {
        JsonObject bundle = bundles().findFirst().orElseThrow();
        byte[] footer = footer(bundle);
        int start = footerStart(bundle);
        int size = start + footer.length;
        switch (check) {
            case "footer_range.end == split size" -> {
                assertCorrupt(() -> SplitFooter.checkRange(PATH, start, size - 1, size))
                        .hasMessageContaining("ends at " + (size - 1));
                assertCorrupt(() -> SplitFooter.checkRange(PATH, start, size + 1, size));
            }
            case "start <= end and footer length >= 24" -> {
                assertCorrupt(() -> SplitFooter.checkRange(PATH, size + 1, size, size));
                assertCorrupt(() -> SplitFooter.checkRange(PATH, size - 23, size, size));
                SplitFooter.checkRange(PATH, size - 24, size, size);
            }
            case "trailer magic and version" -> {
                assertCorrupt(() -> parse(start, changed(footer, footer.length - 1)))
                        .hasMessageContaining("QWFT");
                assertCorrupt(() -> parse(start, changed(footer, footer.length - 8)))
                        .hasMessageContaining("version")
                        .hasMessageContaining("knows 1");
            }
            case "trailer start == footer_range.start" ->
                    assertCorrupt(() -> parse(start + 1, footer))
                            .hasMessageContaining("expected " + (start + 1));
            case "metadata length + 4 + hotcache length + 4 + 16 == footer length" -> {
                int hotcacheLength = footer.length - SplitFooter.TRAILER_BYTES - 4;
                assertCorrupt(() -> parse(start, changed(footer, hotcacheLength)));
                assertCorrupt(() -> parse(start, changed(footer, hotcacheLength + 3)));
                assertCorrupt(() -> parse(start, changed(footer, hotcacheLength - 3 - 4)));
            }
            default -> throw new AssertionError("unknown check " + check);
        }
    }

    @Test
    void refusesFilesThatOverlapOrLeaveTheBundleOrItsFolder() {
        for (String files :
                List.of(
                        "{\"a\":{\"start\":0,\"end\":5},\"b\":{\"start\":4,\"end\":6}}",
                        "{\"a\":{\"start\":0,\"end\":11}}",
                        "{\"a\":{\"start\":3,\"end\":2}}",
                        "{\"a\":{\"start\":-1,\"end\":2}}",
                        "{\"a\":{\"start\":0,\"end\":18446744073709551615}}",
                        "{\"a\":{\"start\":0.0,\"end\":2}}",
                        "{\"a\":{\"start\":0}}",
                        "{\"a\":7}",
                        "{\"../a\":{\"start\":0,\"end\":2}}",
                        "{\"..\":{\"start\":0,\"end\":2}}",
                        "{\"\":{\"start\":0,\"end\":2}}",
                        "[]",
                        "{")) {
            byte[] footer = footerOf("{\"files\":" + files + "}");
            assertCorrupt(() -> parse(10, footer)).hasMessageContaining(PATH);
        }
        assertCorrupt(() -> parse(10, footerOf("{}"))).hasMessageContaining("files");
    }

    private static byte[] footerOf(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        java.nio.ByteBuffer footer =
                java.nio.ByteBuffer.allocate(8 + bytes.length + SplitFooter.MIN_BYTES)
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN);
        footer.putInt(SplitFooter.METADATA_MAGIC).putInt(SplitFooter.METADATA_VERSION);
        footer.put(bytes).putInt(8 + bytes.length).putInt(0).put(SplitFooter.trailer(10));
        return footer.array();
    }

    @Test
    void crcIsCheckedUnlessAbsent() {
        byte[] bytes = "123456789".getBytes(StandardCharsets.US_ASCII);
        assertThat(SplitFooter.crc32c(bytes)).isEqualTo(0xe3069283);
        SplitFooter.checkCrc(PATH, bytes, 0xe3069283);
        SplitFooter.checkCrc(PATH, bytes, 0);
        assertCorrupt(() -> SplitFooter.checkCrc(PATH, bytes, 1))
                .hasMessage(PATH + ": the footer's crc32c is e3069283, expected 00000001");
    }

    @Test
    void damagedFootersAreCorruptAndNothingElse() {
        Random random = Damage.seeded();
        bundles()
                .forEach(
                        bundle -> {
                            int start = footerStart(bundle);
                            Damage.each(
                                    random,
                                    footer(bundle),
                                    bytes -> SplitFooter.parse(PATH, start, bytes).encode());
                        });
    }

    private static SplitFooter parse(long start, byte[] footer) {
        return SplitFooter.parse(PATH, start, footer);
    }

    private static byte[] changed(byte[] bytes, int at) {
        byte[] copy = bytes.clone();
        copy[at] ^= 0x55;
        return copy;
    }

    private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable>
            assertCorrupt(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(CorruptException.class);
    }

    private static byte[] hex(JsonObject bundle) {
        return HexFormat.of().parseHex(string(bundle, "hex"));
    }

    private static int footerStart(JsonObject bundle) {
        JsonArray range = (JsonArray) bundle.members().get("footer_range");
        return (int) ((JsonInteger) range.values().get(0)).value();
    }

    private static byte[] footer(JsonObject bundle) {
        byte[] object = hex(bundle);
        return Arrays.copyOfRange(object, footerStart(bundle), object.length);
    }

    static String string(JsonObject object, String member) {
        return ((JsonString) object.members().get(member)).value();
    }
}
