package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.manifest.Golden;
import io.loam.codec.schema.CollectionSchema.FieldKind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class CoercionGoldenTest {
    private static final Golden FILE = Golden.file("values.json");
    private static final FieldKind DATE = new FieldKind.Date();

    static List<Golden> coerce() {
        return FILE.get("coerce").list();
    }

    static List<Golden> dates() {
        return FILE.get("dates").list();
    }

    static List<Golden> rejectedDates() {
        return FILE.get("dates_rejected").list();
    }

    @ParameterizedTest
    @MethodSource("coerce")
    void coerces(Golden golden) {
        String kind = golden.get("kind").text();
        JsonValue value = golden.get("json").value();
        Coerced coerced = Coercion.coerce(GoldenSchemas.kind(kind), value);
        Golden result = golden.get("result");
        if (result.isNull()) {
            assertThat(coerced).isEqualTo(new Coerced.Nothing());
        } else if (result.value().equals(new JsonString("ERR"))) {
            String message = "cannot index " + Json.text(value) + " as " + kind;
            assertThat(coerced).isEqualTo(new Coerced.Malformed(message));
        } else {
            assertThat(coerced).isEqualTo(new Coerced.Value(plain(result.value())));
        }
    }

    @ParameterizedTest
    @MethodSource("dates")
    void readsDates(Golden golden) {
        assertThat(Coercion.coerce(DATE, golden.get("json").value()))
                .isEqualTo(new Coerced.Value(golden.get("millis").u64()));
    }

    @ParameterizedTest
    @MethodSource("rejectedDates")
    void rejectsDates(Golden golden) {
        assertThat(Coercion.coerce(DATE, golden.value())).isInstanceOf(Coerced.Malformed.class);
    }

    @Test
    void limitsDatesAsTheFileSays() {
        Golden range = FILE.get("date_range_ms");
        assertThat(-DateText.MAX_MILLIS).isEqualTo(range.get("min").u64());
        assertThat(DateText.MAX_MILLIS).isEqualTo(range.get("max").u64());
    }

    @ParameterizedTest
    @CsvSource({
        "1969-12-31T23:59:59.9999, -1",
        "1970-01-01T00:00:00.0019Z, 1",
        "1970-01-01T00:00:00.000999999999Z, 0",
        "1970-01-01T01:00:00+0100, 0",
        "1970-01-01T00:00:00-00:30, 1800000",
    })
    void roundsFractionsTowardsThePast(String text, long millis) {
        assertThat(DateText.millis(text)).hasValue(millis);
    }

    @ParameterizedTest
    @CsvSource({
        "2024-02-30",
        "2024-01-02T24:00:00",
        "2024-01-02T03:04:05.Z",
        "2024-01-02T03:04:05+1",
        "2024-01-02T03:04:05+24:00",
        "2024-01-02T03:04:05z",
        "2024/01/02T03:04:05",
        "٢٠٢٤-01-02"
    })
    void refusesOtherDates(String text) {
        assertThat(DateText.millis(text)).isEmpty();
    }

    @Test
    void cutsLongValuesInMessages() {
        FieldKind kind = new FieldKind.I64();
        assertThat(Coercion.coerce(kind, new JsonString("a".repeat(62))))
                .isEqualTo(new Coerced.Malformed("cannot index \"" + "a".repeat(62) + "\" as i64"));
        assertThat(Coercion.coerce(kind, new JsonString("a".repeat(63))))
                .isEqualTo(new Coerced.Malformed("cannot index \"" + "a".repeat(63) + "… as i64"));
        assertThat(Coercion.coerce(kind, new JsonString("a".repeat(62) + "ä")))
                .isEqualTo(new Coerced.Malformed("cannot index \"" + "a".repeat(62) + "… as i64"));
    }

    @ParameterizedTest
    @CsvSource({
        "{67E55044-10B1-426F-9247-BB680E5FE0C8}",
        "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8"
    })
    void takesOtherFormsOfUuids(String text) {
        assertThat(Coercion.coerce(new FieldKind.Uuid(), new JsonString(text)))
                .isEqualTo(new Coerced.Value("67e55044-10b1-426f-9247-bb680e5fe0c8"));
    }

    @Test
    void longDigitsThatAreNoNumberAreRefusedInLinearTime() {
        JsonString digits = new JsonString("1".repeat(500_000) + "x");
        for (String kind : List.of("i64", "f64", "date")) {
            assertTimeoutPreemptively(
                    Duration.ofSeconds(20),
                    () -> {
                        Coerced coerced = Coercion.coerce(GoldenSchemas.kind(kind), digits);
                        assertThat(coerced).isInstanceOf(Coerced.Malformed.class);
                    });
        }
        JsonString fraction = new JsonString("2024-01-02T03:04:05." + "1".repeat(500_000) + "x");
        assertThatCode(() -> Coercion.coerce(DATE, fraction)).doesNotThrowAnyException();
    }

    private static Object plain(JsonValue value) {
        if (value instanceof JsonInteger integer) {
            return integer.value();
        } else if (value instanceof JsonDouble real) {
            return real.value();
        } else if (value instanceof JsonBoolean bool) {
            return bool.value();
        }
        return ((JsonString) value).value();
    }
}
