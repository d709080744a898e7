package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonString;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class JsonOutTest {
    @Test
    void printsEveryKindInOrder() {
        assertThat(
                        new JsonOut()
                                .put("null", null)
                                .put("bool", true)
                                .put("int", -1)
                                .put("long", 1L << 40)
                                .put("float", 0.1f)
                                .put("double", 0.1)
                                .put("text", "a\"b")
                                .put("json", new JsonString("j"))
                                .put("object", new JsonOut().put("x", 1))
                                .put("list", List.of(1, "b"))
                                .put("map", new TreeMap<>(java.util.Map.of(2, 20L)))
                                .put("other", Thread.State.NEW)
                                .toString())
                .isEqualTo(
                        "{\"null\":null,\"bool\":true,\"int\":-1,\"long\":1099511627776,"
                                + "\"float\":0.1,\"double\":0.1,\"text\":\"a\\\"b\",\"json\":\"j\","
                                + "\"object\":{\"x\":1},\"list\":[1,\"b\"],\"map\":{\"2\":20},"
                                + "\"other\":\"NEW\"}");
    }

    @Test
    void unsignedNumbersStayPositive() {
        assertThat(new JsonOut().putUnsigned("a", -1).putUnsigned("b", 1).toString())
                .isEqualTo("{\"a\":18446744073709551615,\"b\":1}");
    }

    @Test
    void nullIsJsonNull() {
        assertThat(JsonOut.of(null)).isEqualTo(JsonValue.NULL);
    }
}
