package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.SparseVector;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OperationLineTest {
    private static final PrimaryKey ONE = PrimaryKey.ofU64(1);

    private final OperationLine lines = new OperationLine("_id", Map.of());

    @Test
    void plainObjectIsAnUpsertThatKeepsItsKeyMember() {
        assertThat(upsert("{\"title\":\"x\",\"_id\":1}"))
                .isEqualTo(
                        new Document(ONE, json("{\"title\":\"x\",\"_id\":1}"), Map.of(), Map.of()));
    }

    @Test
    void keyOfAPlainObjectMayBeAnyMemberAndAnyKind() {
        OperationLine byUrl = new OperationLine("url", Map.of());
        assertThat(byUrl.parse(utf8("{\"url\":\"a/b\"}")).key())
                .isEqualTo(PrimaryKey.ofString("a/b"));
        assertThat(upsert("{\"_id\":18446744073709551615}").key()).isEqualTo(PrimaryKey.ofU64(-1));
        String uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
        assertThat(upsert("{\"_id\":{\"uuid\":\"" + uuid + "\"}}").key())
                .isEqualTo(PrimaryKey.ofUuid(UUID.fromString(uuid)));
    }

    @Test
    void plainObjectCarriesVectorsInReservedMembers() {
        Document document =
                upsert(
                        "{\"_id\":1,\"a\":2,\"_vectors\":{\"v\":[1,-2.5,18446744073709551615]},"
                                + "\"_sparse_vectors\":{\"s\":{\"indices\":[4294967295,3],\"values\":[1,2]}}}");
        assertThat(document)
                .isEqualTo(
                        new Document(
                                ONE,
                                json("{\"_id\":1,\"a\":2}"),
                                Map.of("v", new float[] {1, -2.5f, 1.8446744e19f}),
                                Map.of(
                                        "s",
                                        new SparseVector(new int[] {3, -1}, new float[] {2, 1}))));
    }

    @Test
    void vectorFieldsAreTakenOutOfThePlainObject() {
        OperationLine mapped = new OperationLine("_id", Map.of("embedding", "v"));
        assertThat(mapped.parse(utf8("{\"_id\":1,\"embedding\":[1,2]}")))
                .isEqualTo(
                        new Operation.Upsert(
                                new Document(
                                        ONE,
                                        json("{\"_id\":1}"),
                                        Map.of("v", new float[] {1, 2}),
                                        Map.of())));
        assertThat(mapped.parse(utf8("{\"_id\":1,\"embedding\":null}")))
                .isEqualTo(
                        new Operation.Upsert(
                                new Document(ONE, json("{\"_id\":1}"), Map.of(), Map.of())));
    }

    @Test
    void upsertFormTakesSourceAndKeyApart() {
        assertThat(
                        upsert(
                                "{\"upsert\":{\"_vectors\":3},\"pk\":\"k\",\"vectors\":{\"v\":[1]},"
                                        + "\"sparse_vectors\":{\"s\":{\"values\":[],\"indices\":[]}}}"))
                .isEqualTo(
                        new Document(
                                PrimaryKey.ofString("k"),
                                json("{\"_vectors\":3}"),
                                Map.of("v", new float[] {1}),
                                Map.of("s", new SparseVector(new int[0], new float[0]))));
    }

    @Test
    void deleteTakesAKey() {
        assertThat(parse("{\"delete\":\"k\"}"))
                .isEqualTo(new Operation.Delete(PrimaryKey.ofString("k")));
    }

    @Test
    void patchWithItsDefaults() {
        assertThat(parse("{\"patch\":{\"a\":1},\"pk\":1}"))
                .isEqualTo(
                        new Operation.Patch(
                                ONE,
                                PatchMode.MERGE_DEEP,
                                json("{\"a\":1}"),
                                List.of(),
                                Map.of(),
                                Map.of(),
                                null));
    }

    @Test
    void patchWithEverything() {
        Operation.Patch patch =
                (Operation.Patch)
                        parse(
                                "{\"patch\":{},\"pk\":1,\"mode\":\"replace\",\"delete_keys\":[\"a.b\",\"c\"],"
                                        + "\"vectors\":{\"v\":[1],\"gone\":null},"
                                        + "\"sparse_vectors\":{\"s\":{\"indices\":[7],\"values\":[0.5]},\"t\":null},"
                                        + "\"upsert\":{\"n\":1,\"_vectors\":{\"v\":[2]}}}");
        assertThat(patch.mode()).isEqualTo(PatchMode.REPLACE);
        assertThat(patch.deleteKeys()).containsExactly("a.b", "c");
        assertThat(patch.vectors().get("v"))
                .hasValueSatisfying(v -> assertThat(v).containsExactly(1f));
        assertThat(patch.vectors()).containsEntry("gone", Optional.empty());
        assertThat(patch.sparseVectors())
                .containsEntry(
                        "s", Optional.of(new SparseVector(new int[] {7}, new float[] {0.5f})))
                .containsEntry("t", Optional.empty());
        assertThat(patch.upsert())
                .isEqualTo(
                        new Document(
                                ONE, json("{\"n\":1}"), Map.of("v", new float[] {2}), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "merge_deep, MERGE_DEEP",
        "mergeDeep, MERGE_DEEP",
        "MERGE_TOP, MERGE_TOP",
        "mergetop, MERGE_TOP",
        "replace, REPLACE"
    })
    void modesInAnySpelling(String text, PatchMode mode) {
        Operation operation = parse("{\"patch\":{},\"pk\":1,\"mode\":\"" + text + "\"}");
        assertThat(((Operation.Patch) operation).mode()).isEqualTo(mode);
    }

    @Test
    void membersNamedLikeOperationsAreJustMembersWithoutPk() {
        assertThat(upsert("{\"_id\":1,\"patch\":{},\"delete\":2,\"upsert\":{}}").source().members())
                .containsKeys("patch", "delete", "upsert");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":1 | not a JSON object: Unexpected end-of-input",
                "[1] | not a JSON object: the top level must be an object",
                "{\"a\":1} | the object has no member \"_id\" to take its key from (--key)",
                "{\"_id\":-1} | invalid key: an integer key is 0..18446744073709551615, not -1",
                "{\"_id\":true} | invalid key: a key is an integer, a string or {\"uuid\":\"...\"}, not true",
                "{\"_id\":\"\"} | invalid key: a string key has 1..512 bytes of UTF-8, not 0",
                "{\"_id\":{\"uuid\":\"x\"}} | invalid key: not a UUID: \"x\"",
                "{\"delete\":1.5} | invalid key: a key is an integer, a string or {\"uuid\":\"...\"}, not 1.5",
                "{\"_id\":1,\"_vectors\":[1]} | \"_vectors\" must be an object, not [1]",
                "{\"_id\":1,\"_vectors\":{\"v\":1}} | \"v\" must be an array, not 1",
                "{\"_id\":1,\"_vectors\":{\"v\":[\"x\"]}} | vector \"v\" holds \"x\", not a number",
                "{\"_id\":1,\"_vectors\":{\"v\":[true]}} | vector \"v\" holds true, not a number",
                "{\"_id\":1,\"_vectors\":{\"v\":[1e39]}} | vector \"v\" holds 1e39, beyond a float",
                "{\"_id\":1,\"_sparse_vectors\":{\"s\":{}}} | sparse vector \"s\" is {\"indices\":[...],\"values\":[...]}, not {}",
                "{\"_id\":1,\"_sparse_vectors\":{\"s\":{\"indices\":[-1],\"values\":[1]}}} | a sparse index is 0..4294967295, not -1",
                "{\"_id\":1,\"_sparse_vectors\":{\"s\":{\"indices\":[4294967296],\"values\":[1]}}} | a sparse index is 0..4294967295, not 4294967296",
                "{\"_id\":1,\"_sparse_vectors\":{\"s\":{\"indices\":[1,1],\"values\":[1,2]}}} | sparse vector \"s\": index 1 stands twice",
                "{\"_id\":1,\"_sparse_vectors\":{\"s\":{\"indices\":[1],\"values\":[1,2]}}} | sparse vector \"s\": 1 indices but 2 values",
                "{\"upsert\":{},\"pk\":1,\"extra\":2} | the operation has no member \"extra\"; it may have upsert, pk, vectors, sparse_vectors",
                "{\"upsert\":{},\"pk\":1,\"vectors\":2} | \"vectors\" must be an object, not 2",
                "{\"patch\":{},\"pk\":1,\"merge\":2} | the operation has no member \"merge\"; it may have patch, pk, mode, delete_keys, vectors, sparse_vectors, upsert",
                "{\"patch\":{},\"pk\":1,\"mode\":\"deep\"} | mode is merge_deep, merge_top or replace, not \"deep\"",
                "{\"patch\":{},\"pk\":1,\"mode\":1} | \"mode\" holds strings, not 1",
                "{\"patch\":{},\"pk\":1,\"delete_keys\":\"a\"} | \"delete_keys\" must be an array, not \"a\"",
                "{\"patch\":{},\"pk\":1,\"delete_keys\":[1]} | \"delete_keys\" holds strings, not 1",
                "{\"patch\":{},\"pk\":1,\"upsert\":3} | \"upsert\" must be an object, not 3",
            })
    void whatIsWrongIsSaid(String line, String message) {
        assertThatThrownBy(() -> parse(line))
                .isInstanceOf(CliException.class)
                .hasMessageStartingWith(message)
                .message()
                .hasLineCount(1);
    }

    @Test
    void bytesThatAreNoUtf8AreRefusedNotReplaced() {
        byte[] line = "{\"_id\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> lines.parse(line))
                .isInstanceOf(CliException.class)
                .hasMessage("not a JSON object: the text is not valid UTF-8");
    }

    private Operation parse(String line) {
        return lines.parse(utf8(line));
    }

    private Document upsert(String line) {
        return ((Operation.Upsert) parse(line)).document();
    }

    private static JsonObject json(String text) {
        return Json.parseObject(utf8(text));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
