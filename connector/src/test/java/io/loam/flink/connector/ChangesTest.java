package io.loam.flink.connector;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.flink.operators.CollectionElement;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class ChangesTest {
    private static final PrimaryKey KEY = PrimaryKey.ofString("a");

    private static Operation operation(CollectionElement element) {
        CollectionElement.Change change = (CollectionElement.Change) element;
        return RecordCodec.decode(change.key().canonical(), change.value());
    }

    private static DeadLetter letter(CollectionElement element) {
        return ((CollectionElement.Letter) element).letter();
    }

    @Test
    void makesOperations() {
        Operation upsert =
                operation(Changes.upsert(KEY, "{\"n\":1}", Map.of("v", new float[] {1, 2})));
        assertThat(upsert).isInstanceOf(Operation.Upsert.class);
        assertThat(((Operation.Upsert) upsert).document().vectors()).containsKey("v");
        assertThat(operation(Changes.delete(KEY))).isEqualTo(new Operation.Delete(KEY));
        Operation patch = operation(Changes.patch(KEY, "{\"n\":2}"));
        assertThat(((Operation.Patch) patch).mode()).isEqualTo(Operation.PatchMode.MERGE_DEEP);
        assertThat(patch.key()).isEqualTo(KEY);
    }

    @Test
    void whatNoLogCouldHoldIsADeadLetter() {
        DeadLetter json = letter(Changes.upsert(KEY, "[1]"));
        assertThat(json.reason()).startsWith("undecodable: the source is no JSON object");
        assertThat(json.key()).isEqualTo(KEY.canonical());
        assertThat(new String(json.value(), StandardCharsets.UTF_8)).isEqualTo("[1]");
        assertThat(letter(Changes.upsert(KEY, "{}", Map.of("v", new float[] {Float.NaN}))).reason())
                .startsWith("undecodable: ");
        String large = "{\"t\":\"" + "x".repeat(RecordCodec.MAX_VALUE_BYTES) + "\"}";
        assertThat(letter(Changes.upsert(KEY, large)).reason())
                .startsWith("undecodable: the value has ");
    }
}
