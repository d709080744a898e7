package io.loam.codec.fold;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.Seeds;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseVectors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** Properties of the fold over random streams of one key. */
class FoldPropertyTest {
    private static final int STREAMS = 5_000;
    private static final int PARTITION = 3;
    private static final PrimaryKey KEY = PrimaryKey.ofU64(7);
    private static final PrimaryKey OTHER = PrimaryKey.ofU64(8);

    /** A row and the offset it was written at. */
    private record Row(Document document, long offset) {
        String text() {
            StringBuilder text = new StringBuilder(Json.text(document.source()));
            document.vectors()
                    .forEach((n, v) -> text.append(n).append(java.util.Arrays.toString(v)));
            document.sparseVectors().forEach((n, v) -> text.append(n).append(v.indices().length));
            return text.append('@').append(offset).toString();
        }
    }

    @Test
    void theCutIntoBatchesDoesNotMatter() {
        Random random = Seeds.random(getClass());
        for (int i = 0; i < STREAMS; i++) {
            List<LoggedOperation> stream = stream(random);
            Row start = random.nextBoolean() ? null : new Row(document(random, KEY), 0);
            List<DeadLetter> atOnceLetters = new ArrayList<>();
            Row atOnce = apply(stream, start, atOnceLetters);

            List<DeadLetter> cutLetters = new ArrayList<>();
            Row row = start;
            for (int from = 0; from < stream.size(); ) {
                int to = from + 1 + random.nextInt(stream.size() - from);
                row = apply(stream.subList(from, to), row, cutLetters);
                from = to;
            }
            assertSame(row, atOnce, stream);
            // A batch reports dropped upserts before broken patches, so the order may differ.
            assertThat(offsets(cutLetters)).isEqualTo(offsets(atOnceLetters));
        }
    }

    @Test
    void theLastUpsertOrDeleteDecidesTheBase() {
        Random random = Seeds.random(getClass());
        for (int i = 0; i < STREAMS; i++) {
            List<LoggedOperation> stream = stream(random);
            Row start = random.nextBoolean() ? null : new Row(document(random, KEY), 0);
            Row folded = apply(stream, start, new ArrayList<>());
            assertSame(folded, fromLastBase(stream, start), stream);
        }
    }

    private static Row fromLastBase(List<LoggedOperation> stream, Row start) {
        Row row = start;
        int next = 0;
        for (int i = stream.size() - 1; i >= 0 && next == 0; i--) {
            LoggedOperation logged = stream.get(i);
            if (logged.operation() instanceof Operation.Delete) {
                row = null;
                next = i + 1;
            } else if (logged.operation() instanceof Operation.Upsert upsert
                    && violation(upsert.document()).isEmpty()) {
                row = new Row(upsert.document(), logged.offset());
                next = i + 1;
            }
        }
        for (LoggedOperation logged : stream.subList(next, stream.size())) {
            if (logged.operation() instanceof Patch patch) {
                Document before = row == null ? null : row.document();
                Document after = before == null ? usable(patch) : Patching.apply(before, patch);
                boolean writes =
                        after != null && !after.equals(before) && violation(after).isEmpty();
                row = writes ? new Row(after, logged.offset()) : row;
            }
        }
        return row;
    }

    private static Document usable(Patch patch) {
        return patch.upsert() != null && patch.upsert().key().equals(KEY) ? patch.upsert() : null;
    }

    private static Row apply(List<LoggedOperation> batch, Row row, List<DeadLetter> letters) {
        KeyFold.Prepared prepared =
                KeyFold.prepare(batch, FoldPropertyTest::violation, letters::add);
        Document current = prepared.needsCurrent() && row != null ? row.document() : null;
        FoldOutcome outcome = prepared.fold(current, row != null);
        return switch (outcome.effect()) {
            case NONE -> row;
            case DELETE -> null;
            case INSERT -> {
                assertThat(row).isNull();
                yield new Row(outcome.document(), outcome.offset());
            }
            case REPLACE -> {
                assertThat(row).isNotNull();
                yield new Row(outcome.document(), outcome.offset());
            }
        };
    }

    private static void assertSame(Row actual, Row expected, List<LoggedOperation> stream) {
        assertThat(actual == null ? null : actual.text())
                .as(() -> stream.toString())
                .isEqualTo(expected == null ? null : expected.text());
    }

    private static Set<Long> offsets(List<DeadLetter> letters) {
        Set<Long> offsets = new HashSet<>();
        letters.forEach(letter -> offsets.add(letter.offset()));
        return offsets;
    }

    private static Optional<String> violation(Document document) {
        return document.source().members().get("n") instanceof JsonString
                ? Optional.of("n: a string")
                : Optional.empty();
    }

    private static List<LoggedOperation> stream(Random random) {
        List<LoggedOperation> stream = new ArrayList<>();
        long offset = 10;
        for (int i = random.nextInt(12); i > 0; i--) {
            offset += 1 + random.nextInt(3);
            stream.add(new LoggedOperation(PARTITION, offset, operation(random), new byte[0]));
        }
        return stream;
    }

    private static Operation operation(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> new Operation.Upsert(document(random, KEY));
            case 1 -> new Operation.Delete(KEY);
            default ->
                    new Patch(
                            KEY,
                            PatchMode.values()[random.nextInt(3)],
                            object(random, 2),
                            deleteKeys(random),
                            changes(random, new float[] {random.nextInt(2)}),
                            changes(random, sparse(random)),
                            random.nextInt(3) > 0
                                    ? null
                                    : document(random, random.nextInt(4) == 0 ? OTHER : KEY));
        };
    }

    private static Document document(Random random, PrimaryKey key) {
        Map<String, float[]> dense =
                random.nextBoolean() ? Map.of() : Map.of("v", new float[] {random.nextInt(2)});
        return new Document(
                key,
                object(random, 2),
                dense,
                random.nextBoolean() ? Map.of() : Map.of("v", sparse(random)));
    }

    private static SparseVector sparse(Random random) {
        return SparseVectors.canonical(new int[] {random.nextInt(3)}, new float[] {1});
    }

    private static <T> Map<String, Optional<T>> changes(Random random, T value) {
        return switch (random.nextInt(4)) {
            case 0 -> Map.of("v", Optional.of(value));
            case 1 -> Map.of("v", Optional.empty());
            default -> Map.of();
        };
    }

    private static List<String> deleteKeys(Random random) {
        List<String> all = List.of("a", "b.a", "b", "a.b", "n", "b.n.a");
        int from = random.nextInt(all.size() + 1);
        return random.nextInt(3) > 0
                ? List.of()
                : all.subList(from, from + random.nextInt(all.size() - from + 1));
    }

    private static JsonObject object(Random random, int depth) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            members.put(List.of("a", "b", "n").get(random.nextInt(3)), value(random, depth));
        }
        return new JsonObject(members);
    }

    private static JsonValue value(Random random, int depth) {
        return switch (random.nextInt(7)) {
            case 0 -> new JsonString("x");
            case 1 -> JsonValue.NULL;
            case 2 -> new JsonDouble(random.nextBoolean() ? 0.0 : -0.0);
            case 3 -> new JsonArray(List.of(JsonInteger.of(random.nextInt(2))));
            case 4, 5 -> depth == 0 ? JsonInteger.of(1) : object(random, depth - 1);
            default -> JsonInteger.of(random.nextInt(2));
        };
    }
}
