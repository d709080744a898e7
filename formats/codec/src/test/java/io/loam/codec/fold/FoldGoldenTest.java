package io.loam.codec.fold;

import io.loam.codec.fold.FoldOutcome.Effect;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.Document;
import io.loam.codec.record.GoldenDocuments;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class FoldGoldenTest {
    private static final Golden FILE = Golden.file("fold.json");
    private static final PrimaryKey KEY = PrimaryKey.ofString("doc-1");
    private static final int PARTITIONS = 4;
    private static final int HOME = Partitioner.partitionOf(KEY, PARTITIONS);

    /** What a phrase of the file means. */
    private record Expected(Effect effect, Map<Long, String> letters, boolean readsCurrent) {
        static Expected of(Effect effect) {
            return new Expected(effect, Map.of(), false);
        }

        Expected letter(long offset, String reason) {
            return new Expected(effect, Map.of(offset, reason), readsCurrent);
        }

        Expected reading() {
            return new Expected(effect, letters, true);
        }
    }

    private static final Map<String, Expected> EFFECTS =
            Map.ofEntries(
                    Map.entry("new row", Expected.of(Effect.INSERT)),
                    Map.entry("new row, old row deleted", Expected.of(Effect.REPLACE)),
                    Map.entry(
                            "new row, old row deleted (two writes happened even though the end"
                                    + " equals the start)",
                            Expected.of(Effect.REPLACE)),
                    Map.entry(
                            "row, seq_no and Lance version unchanged; a manifest is still"
                                    + " committed, with no pk delta",
                            Expected.of(Effect.NONE)),
                    Map.entry("nothing: no row, no pk-delta entry", Expected.of(Effect.NONE)),
                    Map.entry(
                            "old row deleted; pk delta maps the key to none",
                            Expected.of(Effect.DELETE)),
                    Map.entry(
                            "unchanged; record 6 dead-lettered, reason starts 'schema: n: '",
                            Expected.of(Effect.NONE).letter(6, "schema: n: ")),
                    Map.entry(
                            "new row; only record 7 dead-lettered",
                            Expected.of(Effect.REPLACE).letter(7, "schema: n: ")),
                    Map.entry(
                            "record 6 dead-lettered; the patch is then the first op, so the"
                                    + " committed document is read; new row",
                            Expected.of(Effect.REPLACE).letter(6, "schema: n: ").reading()),
                    Map.entry(
                            "dead-lettered, reason starts 'wrong_partition'",
                            Expected.of(Effect.NONE).letter(0, "wrong_partition")),
                    Map.entry(
                            "dead-lettered, reason starts 'undecodable: '; applied still advances",
                            Expected.of(Effect.NONE).letter(0, "undecodable: ")));

    static List<Golden> perKey() {
        return FILE.get("per_key_cases").list();
    }

    static List<Golden> batches() {
        return FILE.get("batch_cases").list();
    }

    @ParameterizedTest
    @MethodSource("perKey")
    void foldsOneKey(Golden golden) {
        Document current = document(golden.get("current"));
        List<LoggedOperation> operations = new ArrayList<>();
        for (Golden op : golden.get("ops").list()) {
            Operation operation = GoldenDocuments.operation(op);
            operations.add(
                    new LoggedOperation(
                            HOME, operations.size(), operation, RecordCodec.encode(operation)));
        }
        KeyFold.Prepared prepared =
                KeyFold.prepare(operations, d -> Optional.empty(), FoldGoldenTest::unexpected);
        assertThat(prepared.needsCurrent()).isEqualTo(flag(golden.get("needs_current")));
        FoldOutcome outcome =
                prepared.fold(prepared.needsCurrent() ? current : null, current != null);
        Document result = result(outcome, current);
        assertThat(result).isEqualTo(document(golden.get("result")));
        if (golden.has("result_top_level_key_order")) {
            assertThat(result.source().members().keySet())
                    .containsExactlyElementsOf(
                            golden.get("result_top_level_key_order").list().stream()
                                    .map(Golden::text)
                                    .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("batches")
    void foldsBatches(Golden golden) {
        assertThat(FILE.get("batch_op_form").text()).isEqualTo("[offset, kind, source]");
        Expected expected = EFFECTS.get(golden.get("effect").text());
        assertThat(expected).as(golden.get("effect").text()).isNotNull();
        boolean hasRow = flag(golden.get("has_row"));
        Document current =
                golden.get("current").isNull() ? null : sourceOnly(golden.get("current"));
        List<DeadLetter> letters = new ArrayList<>();
        List<LoggedOperation> operations = new ArrayList<>();
        golden.get("ops").list().forEach(op -> read(op, operations, letters));
        boolean typed = golden.has("schema");
        if (typed) {
            assertThat(golden.get("schema").text()).isEqualTo("n is i64");
        }

        KeyFold.Prepared prepared =
                KeyFold.prepare(
                        operations, d -> typed ? integerN(d) : Optional.empty(), letters::add);
        if (expected.readsCurrent()) {
            assertThat(prepared.needsCurrent()).isTrue();
        }
        FoldOutcome outcome = prepared.fold(prepared.needsCurrent() ? current : null, hasRow);

        assertThat(outcome.effect()).isEqualTo(expected.effect());
        Document result = result(outcome, current);
        assertThat(result == null ? null : result.source())
                .isEqualTo(golden.get("source").isNull() ? null : golden.get("source").value());
        if (golden.get("written_by").isNull()) {
            assertThat(outcome.document()).isNull();
        } else {
            assertThat(outcome.offset()).isEqualTo(golden.get("written_by").u64());
            assertThat(outcome.partition()).isEqualTo(HOME);
        }
        assertThat(letters).hasSize(expected.letters().size());
        letters.forEach(l -> assertThat(l.reason()).startsWith(expected.letters().get(l.offset())));
    }

    /** Decodes a record of the batch as link apply does, before the fold. */
    private static void read(Golden op, List<LoggedOperation> operations, List<DeadLetter> dead) {
        List<Golden> parts = op.list();
        byte[] key = KEY.canonical();
        if (parts.size() == 1) {
            assertThat(parts.get(0).text()).isEqualTo("bad bytes");
            record(HOME, 0, key, new byte[] {1, 9}, operations, dead);
            return;
        }
        byte[] value = RecordCodec.encode(operation(parts.get(1).text(), parts.get(2)));
        if (parts.get(0).value() instanceof JsonInteger) {
            record(HOME, parts.get(0).u64(), key, value, operations, dead);
        } else {
            assertThat(parts.get(0).text()).isEqualTo("wrong partition");
            record((HOME + 1) % PARTITIONS, 0, key, value, operations, dead);
        }
    }

    private static void record(
            int partition,
            long offset,
            byte[] key,
            byte[] value,
            List<LoggedOperation> operations,
            List<DeadLetter> dead) {
        try {
            Operation operation = RecordCodec.decode(key, value);
            int home = Partitioner.partitionOf(operation.key(), PARTITIONS);
            if (home == partition) {
                operations.add(new LoggedOperation(partition, offset, operation, value));
            } else {
                String reason = "wrong_partition: the key belongs to partition " + home;
                dead.add(new DeadLetter(partition, offset, key, value, reason));
            }
        } catch (RecordException e) {
            String reason = "undecodable: " + e.getMessage();
            dead.add(new DeadLetter(partition, offset, key, value, reason));
        }
    }

    private static Operation operation(String kind, Golden source) {
        return switch (kind) {
            case "upsert" -> new Operation.Upsert(sourceOnly(source));
            case "delete" -> new Operation.Delete(KEY);
            case "patch_deep" ->
                    new Operation.Patch(
                            KEY,
                            Operation.PatchMode.MERGE_DEEP,
                            (JsonObject) source.value(),
                            List.of(),
                            Map.of(),
                            Map.of(),
                            null);
            default -> throw new IllegalArgumentException("unknown kind " + kind);
        };
    }

    private static Document sourceOnly(Golden source) {
        return new Document(KEY, (JsonObject) source.value(), Map.of(), Map.of());
    }

    private static Optional<String> integerN(Document document) {
        var n = document.source().members().get("n");
        return n == null || n instanceof JsonInteger
                ? Optional.empty()
                : Optional.of("n: not an integer");
    }

    private static Document document(Golden golden) {
        return golden.isNull() ? null : GoldenDocuments.document(golden);
    }

    private static Document result(FoldOutcome outcome, Document current) {
        return switch (outcome.effect()) {
            case NONE -> current;
            case DELETE -> null;
            default -> outcome.document();
        };
    }

    private static boolean flag(Golden golden) {
        return golden.value().equals(new io.loam.codec.json.JsonValue.JsonBoolean(true));
    }

    private static void unexpected(DeadLetter letter) {
        throw new AssertionError("dead letter: " + letter.reason());
    }
}
