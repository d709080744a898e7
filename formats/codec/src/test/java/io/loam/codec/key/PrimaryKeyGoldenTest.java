package io.loam.codec.key;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.GoldenDocuments;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PrimaryKeyGoldenTest {
    private static final Golden FILE = Golden.file("pk.json");

    static List<Golden> keys() {
        return FILE.get("keys").list();
    }

    static List<Golden> invalid() {
        return FILE.get("invalid_canonical").list();
    }

    static List<Golden> jsonForms() {
        return FILE.get("json_forms").list();
    }

    @ParameterizedTest
    @MethodSource("keys")
    void formsAndPartitions(Golden golden) {
        PrimaryKey key = GoldenDocuments.key(golden);
        byte[] canonical = golden.get("canonical_hex").hex();
        assertThat(key.canonical()).isEqualTo(canonical);
        assertThat(PrimaryKey.parseCanonical(canonical)).isEqualTo(key);
        assertThat(key).hasToString(golden.get("value").text());
        byte[] value = RecordCodec.encode(new Operation.Delete(key));
        assertThat(Arrays.copyOfRange(value, 2, value.length))
                .isEqualTo(golden.get("wire_hex").hex());
        assertThat(RecordCodec.decode(canonical, value)).isEqualTo(new Operation.Delete(key));
        assertThat(Partitioner.hash(canonical))
                .isEqualTo(golden.get("xxh3_64_unsigned").u64())
                .isEqualTo(Long.parseUnsignedLong(golden.get("xxh3_64_hex").text(), 16));
        golden.get("partition")
                .members()
                .forEach(
                        (partitions, expected) ->
                                assertThat(
                                                Partitioner.partitionOf(
                                                        key, Integer.parseInt(partitions)))
                                        .isEqualTo((int) expected.u64()));
        assertThat(Partitioner.partitionOf(key, 0)).isZero();
        assertThat(KeyJson.fromJson(KeyJson.toJson(key))).isEqualTo(key);
    }

    @Test
    void stringsHaveAtMostTheStatedBytes() {
        int most = (int) FILE.get("max_string_bytes").u64();
        assertThat(PrimaryKey.MAX_STRING_BYTES).isEqualTo(most);
        assertThat(PrimaryKey.ofString("é".repeat(most / 2)).canonical()).hasSize(most + 1);
        assertThatThrownBy(() -> PrimaryKey.ofString("é".repeat(most / 2) + "x"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("not 513");
        assertThatThrownBy(() -> PrimaryKey.ofString("\ud800"))
                .isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void ordersByUnsignedBytes() {
        List<PrimaryKey> ascending = new ArrayList<>();
        for (Golden golden : FILE.get("ascending_order").list()) {
            PrimaryKey key = GoldenDocuments.key(golden);
            assertThat(key.canonical()).isEqualTo(golden.get("canonical_hex").hex());
            ascending.add(key);
        }
        List<PrimaryKey> sorted = new ArrayList<>(ascending);
        Collections.shuffle(sorted, new Random(1));
        Collections.sort(sorted);
        assertThat(sorted).isEqualTo(ascending);
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void rejectsInvalidBytes(Golden golden) {
        byte[] bytes = golden.get("hex").hex();
        assertThatThrownBy(() -> PrimaryKey.parseCanonical(bytes))
                .isInstanceOf(InvalidKeyException.class);
    }

    @ParameterizedTest
    @MethodSource("jsonForms")
    void readsJsonForms(Golden golden) {
        PrimaryKey key = GoldenDocuments.key(golden);
        assertThat(KeyJson.fromJson(golden.get("json").value())).isEqualTo(key);
        assertThat(KeyJson.toJson(key)).isEqualTo(golden.get("json").value());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "1.0",
                "18446744073709551616",
                "null",
                "true",
                "[1]",
                "{}",
                "\"\"",
                "{\"uuid\":1}",
                "{\"uuid\":\"x\"}",
                "{\"uuid\":\"00000000-0000-0000-0000-000000000001\",\"x\":1}"
            })
    void rejectsOtherJson(String text) {
        assertThatThrownBy(() -> KeyJson.fromJson(Json.parse(text.getBytes())))
                .isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void jsonCoversTheWholeUnsignedRange() {
        assertThat(KeyJson.toJson(PrimaryKey.ofU64(-1))).isEqualTo(new JsonInteger(-1, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "67e55044-10b1-426f-9247-bb680e5fe0c8",
                "67E55044-10B1-426F-9247-BB680E5FE0C8",
                "67e5504410b1426f9247bb680e5fe0c8",
                "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
                "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8"
            })
    void readsUuidText(String text) {
        assertThat(UuidText.parse(text).orElseThrow())
                .hasToString("67e55044-10b1-426f-9247-bb680e5fe0c8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1-1-1-1-1",
                "67e55044-10b1-426f-9247-bb680e5fe0c",
                "67e5504-410b1-426f-9247-bb680e5fe0c8",
                "67e55044-10b1-426f-9247-bb680e5fe0cg",
                "{67e55044-10b1-426f-9247-bb680e5fe0c8",
                "+7e5504410b1426f9247bb680e5fe0c8"
            })
    void refusesOtherText(String text) {
        assertThat(UuidText.parse(text)).isEmpty();
    }
}
