package io.loam.codec.json;

import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.Golden;
import io.loam.codec.manifest.Seeds;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

class JsonGoldenTest {
    private static final Golden FILE = Golden.file("json-source.json");

    static List<Golden> roundTrips() {
        return FILE.get("round_trip").list();
    }

    static List<Golden> exactFloats() {
        return FILE.get("exact_floats").get("values").list();
    }

    static List<Golden> boundaries() {
        return FILE.get("float_print_boundaries").list();
    }

    static List<Golden> rejects() {
        return FILE.get("rejects").list();
    }

    @ParameterizedTest
    @MethodSource("roundTrips")
    void parsesAndPrints(Golden golden) {
        assertThat(Json.text(object(golden.get("in").text()))).isEqualTo(golden.get("out").text());
    }

    @ParameterizedTest
    @MethodSource("exactFloats")
    void keepsDoublesExactly(Golden golden) {
        double value = Double.parseDouble(golden.text());
        JsonObject parsed = object("{\"n\":" + golden.text() + "}");
        assertThat(((JsonDouble) parsed.members().get("n")).value()).isEqualTo(value);
        assertThat(Json.text(parsed)).isEqualTo("{\"n\":" + golden.text() + "}");
    }

    @ParameterizedTest
    @MethodSource("boundaries")
    void laysDoublesOut(Golden golden) {
        JsonObject parsed = object("{\"n\":" + golden.get("value").text() + "}");
        assertThat(Json.text(parsed)).isEqualTo("{\"n\":" + golden.get("out").text() + "}");
    }

    @ParameterizedTest
    @MethodSource("rejects")
    void rejects(Golden golden) {
        if (golden.has("in")) {
            refused(golden.get("in").text().getBytes(StandardCharsets.UTF_8));
            return;
        }
        assertThat(golden.get("in_rule").text()).isEqualTo("one-key objects nested to that depth");
        assertThat(golden.get("why").text())
                .isEqualTo("128 nested levels or more (127 parse); not pinned upstream");
        object(nested(127));
        refused(nested(128).getBytes(StandardCharsets.UTF_8));
        refused(nested(100_000).getBytes(StandardCharsets.UTF_8));
    }

    private static String nested(int levels) {
        return "{\"a\":".repeat(levels - 1) + "{}" + "}".repeat(levels - 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{\"a\":\"\\udc00\\ud800\"}",
                "{\"\\ud800\":1}",
                "{\"a\":Infinity}",
                "{\"a\":-}",
                "{\"a\":1e}",
                "{\"a\":-01}",
                "{\"a\":tru}",
                "{\"a\":[1,]}",
                "{\"a\" 1}",
                "{a:1}",
                "{\"a\":1}/**/",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "\ufeff{}",
                "{\"a\":\u00a01}",
                "{\"a\":-1e999}",
                "{} x"
            })
    void rejectsMore(String text) {
        refused(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void rejectsOtherEncodings() {
        refused("{\"a\":1}".getBytes(StandardCharsets.UTF_16LE));
        refused("{\"a\":1}".getBytes(StandardCharsets.UTF_16));
        refused(new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80, '"', ':', '1', '}'});
        refused(new byte[] {'{', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', ':', '1', '}'});
    }

    @Test
    void takesTheCharacterThatStandsForMalformedBytes() {
        String text = "{\"a\":\"\ufffd\"}";
        assertThat(Json.text(Json.parse(text.getBytes(StandardCharsets.UTF_8)))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "4.35, 4.35",
        "2e-3, 0.002",
        "2.0E-3, 0.002",
        "1.0E23, 1e23",
        "2E23, 2e23",
        "9007199254740993.0, 9007199254740992.0",
        "123456789012345680.0, 1.2345678901234568e17",
        "4.9e-324, 5e-324",
        "1e-323, 1e-323",
        "0.000012345, 0.000012345",
        "1e-400, 0.0"
    })
    void printsTheShortestText(String in, String out) {
        assertThat(Json.text(Json.parse(in.getBytes(StandardCharsets.UTF_8)))).isEqualTo(out);
    }

    @Test
    void longTextsAreNotRefused() {
        String digits = "1".repeat(200_000) + "e-199990";
        String name = "n".repeat(1 << 20);
        String string = "s".repeat(12 << 20);
        Map<String, JsonValue> members =
                object("{\"d\":" + digits + ",\"" + name + "\":\"" + string + "\"}").members();
        assertThat(members).containsOnlyKeys("d", name);
        assertThat(members.get("d")).isEqualTo(new JsonDouble(1111111111.1111111111));
    }

    @Test
    void randomDoublesSurviveInTheShortestText() {
        Random random = Seeds.random(getClass());
        for (int i = 0; i < 50_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (!Double.isFinite(value)) {
                continue;
            }
            String text = Json.text(new JsonDouble(value));
            JsonValue parsed = Json.parse(text.getBytes(StandardCharsets.UTF_8));
            assertThat(Double.doubleToLongBits(((JsonDouble) parsed).value()))
                    .as(text)
                    .isEqualTo(Double.doubleToLongBits(value));
            int digits = new BigDecimal(text).stripTrailingZeros().precision();
            if (digits > 1) {
                MathContext shorter = new MathContext(digits - 1, RoundingMode.HALF_EVEN);
                assertThat(new BigDecimal(value).round(shorter).doubleValue())
                        .as("one digit less than " + text)
                        .isNotEqualTo(value);
            }
        }
    }

    @Test
    void damagedTextGivesAValueOrASyntaxError() {
        Random random = Seeds.random(getClass());
        byte[] whole =
                "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\"],\"b\":{\"c\":null,\"d\":true},\"é\":\"😀\"}"
                        .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 50_000; i++) {
            byte[] text = whole.clone();
            for (int n = random.nextInt(3); n >= 0; n--) {
                text[random.nextInt(text.length)] = (byte) random.nextInt();
            }
            try {
                byte[] printed = Json.print(Json.parse(text));
                assertThat(Json.print(Json.parse(printed))).isEqualTo(printed);
            } catch (JsonSyntaxException expected) {
                assertThat(expected).hasMessageNotContaining("null pointer");
            } catch (RuntimeException e) {
                fail(new String(text, StandardCharsets.ISO_8859_1), e);
            }
        }
    }

    @Test
    void equalityIgnoresKeyOrderAndTheSignOfZeroOnly() {
        assertThat(object("{\"a\":1,\"b\":[0.0]}")).isEqualTo(object("{\"b\":[-0.0],\"a\":1}"));
        assertThat(object("{\"a\":1}")).isNotEqualTo(object("{\"a\":1.0}"));
        assertThat(object("{\"a\":[1,2]}")).isNotEqualTo(object("{\"a\":[2,1]}"));
        assertThat(object("{\"a\":18446744073709551615}")).isNotEqualTo(object("{\"a\":-1}"));
    }

    private static JsonObject object(String text) {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(byte[] text) {
        assertThatThrownBy(() -> Json.parseObject(text)).isInstanceOf(JsonSyntaxException.class);
    }
}
