package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.awaitility.Awaitility;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same for direct mode: operations go into a script instead of a log, and the collection is
 * verified against a model of what the source has played, repeats included.
 */
abstract class DirectTestBase extends PipelineTestBase {
    private static final PrimaryKey MARK = PrimaryKey.ofString("mark");
    private static final int HOSTILE_EVERY = 40;

    String script = UUID.randomUUID().toString();
    private DirectModel model = new DirectModel(SampleSchema.get());

    @Override
    DirectJob job() {
        return new DirectJob(warehouse, directory, script);
    }

    /** Goes on with another script, which no job plays yet; returns the one so far. */
    String anotherScript() {
        String before = script;
        script = UUID.randomUUID().toString();
        return before;
    }

    /** Where the script ends. */
    int written() {
        return Script.size(script);
    }

    /** Takes down that the collection got a part of the script, on top of all that came before. */
    void played(int from, int to) {
        for (int at = from; at < to; at++) {
            model.apply(Script.get(script, at));
        }
    }

    /** Appends operations, some that break the schema, and a mark. */
    @Override
    void send(Stream<Operation> operations) {
        List<Operation> wave = new ArrayList<>();
        operations.forEach(
                operation -> {
                    wave.add(operation);
                    if (wave.size() % HOSTILE_EVERY == 0) {
                        wave.add(upsert(operation.key(), "{\"n\":\"text\"}"));
                    }
                });
        wave.add(upsert(MARK, mark(written() + wave.size())));
        Script.append(script, wave);
    }

    private static Operation upsert(PrimaryKey key, String json) {
        return new Operation.Upsert(
                new Document(
                        key,
                        Json.parseObject(json.getBytes(StandardCharsets.UTF_8)),
                        Map.of(),
                        Map.of()));
    }

    private String mark(int at) {
        return "{\"n\":" + at + ",\"title\":\"" + script + "\"}";
    }

    /** Waits until the mark at the script's end is committed, and so all that came before. */
    @Override
    void awaitApplied() {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .untilAsserted(() -> assertThat(liveMark()).isEqualTo(mark(written() - 1)));
    }

    private String liveMark() throws IOException {
        try (RowSnapshot rows = handle().rows().open(live().lanceVersion(), handle().schema());
                RowCursor cursor = rows.scan(Projection.SOURCES, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (row.key().equals(MARK)) {
                    return new String(row.source(), StandardCharsets.UTF_8);
                }
            }
        }
        return "no mark";
    }

    /** Waits until the source has played all of the script. */
    void awaitPlayed() {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Script.played(script) == written() - 1);
    }

    @Override
    VerifyReport verify() throws Exception {
        VerifyReport verified = Verifier.againstModel(handle(), model.rows());
        assertThat(verified.violations()).isEmpty();
        assertThat(verified.skipped()).isEmpty();
        assertThat(live().deadLettersTotal()).isEqualTo(model.deadLetters());
        return verified;
    }

    @Override
    void report(String mode, String start, String result) {
        super.report("direct", start, result);
    }
}
