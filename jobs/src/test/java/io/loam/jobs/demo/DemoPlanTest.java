package io.loam.jobs.demo;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.DocumentCheck;
import io.loam.codec.schema.SchemaValidator;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class DemoPlanTest {
    private static final int DOCUMENTS = 130;

    @Test
    void firstWaveHasEveryDocumentOnceInOrder() {
        DemoPlan plan = plan(DOCUMENTS);
        List<Operation> first = new ArrayList<>();
        for (int chunk = 0; !plan.isUpdate(chunk); chunk++) {
            plan.emit(chunk, first::add);
        }
        assertThat(first)
                .hasSize(DOCUMENTS)
                .allMatch(operation -> operation instanceof Operation.Upsert)
                .extracting(Operation::key)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void secondWaveWritesAnewPatchesAndDeletes() {
        DemoPlan plan = plan(DOCUMENTS);
        List<Operation> second = new ArrayList<>();
        for (int chunk = 0; chunk < plan.chunks(); chunk++) {
            if (plan.isUpdate(chunk)) {
                plan.emit(chunk, second::add);
            }
        }
        assertThat(second.stream().map(operation -> operation.getClass().getSimpleName()))
                .containsExactly(
                        "Upsert", "Patch", "Delete", "Upsert", "Patch", "Upsert", "Patch", "Upsert",
                        "Delete", "Patch", "Upsert", "Patch", "Upsert", "Patch", "Delete", "Upsert",
                        "Patch");
        assertThat(second.get(2).key()).isEqualTo(key(13));
        assertThat(((Operation.Upsert) second.get(3)).document().source().members())
                .containsKey("revision");
    }

    @Test
    void everyChunkIsTheSameInEveryRun() {
        DemoPlan one = plan(DOCUMENTS);
        DemoPlan other = plan(DOCUMENTS);
        assertThat(one.chunks()).isEqualTo(other.chunks()).isEqualTo(6);
        for (int chunk = one.chunks() - 1; chunk >= 0; chunk--) {
            assertThat(emit(one, chunk)).isEqualTo(emit(other, chunk));
        }
    }

    @Test
    void nothingToDoWithoutDocuments() {
        assertThat(plan(0).chunks()).isZero();
    }

    @Test
    void documentsFitTheSchema() {
        SchemaValidator.validateCreation("wordnet", 4, DemoSchema.schema());
        DocumentCheck check = DocumentCheck.of(DemoSchema.schema());
        DemoPlan plan = plan(DOCUMENTS);
        for (int chunk = 0; chunk < plan.chunks(); chunk++) {
            for (Operation operation : emit(plan, chunk)) {
                if (operation instanceof Operation.Upsert) {
                    assertThat(check.violations(((Operation.Upsert) operation).document()))
                            .isEmpty();
                } else if (operation instanceof Operation.Patch) {
                    assertThat(check.violations((Operation.Patch) operation)).isEmpty();
                }
            }
        }
    }

    /** Operations by key; a key comes at most once in a chunk. */
    private static Map<PrimaryKey, Operation> emitByKey(DemoPlan plan, int chunk) {
        Map<PrimaryKey, Operation> operations = new LinkedHashMap<>();
        plan.emit(chunk, operation -> operations.put(operation.key(), operation));
        return operations;
    }

    private static List<Operation> emit(DemoPlan plan, int chunk) {
        return List.copyOf(emitByKey(plan, chunk).values());
    }

    private static PrimaryKey key(int index) {
        return PrimaryKey.ofString(String.format("n%08d", index));
    }

    private static DemoPlan plan(int documents) {
        List<WordNet.Entry> entries = new ArrayList<>();
        for (int i = 0; i < documents; i++) {
            String source =
                    "{\"lemmas\":[\"a\",\"b\"],\"gloss\":\"gloss "
                            + i
                            + "\",\"pos\":\"noun\",\"topic\":\"noun.act\",\"senses\":2,\"pointers\":"
                            + i
                            + "}";
            entries.add(
                    new WordNet.Entry(
                            key(i).string(),
                            "gloss " + i,
                            Json.parseObject(source.getBytes(StandardCharsets.UTF_8))));
        }
        return new DemoPlan(entries, 0, new GlossEmbeddings());
    }
}
