package io.loam.codec.manifest;

import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.json.JsonValue;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Every case of user-operation.json. */
class UserOperationGoldenTest {
    private static final Golden FILE = Golden.file("user-operation.json");
    private static final CollectionPaths PATHS = new CollectionPaths(1, 7);
    private static final Map<String, CommitKind> KINDS =
            Map.of(
                    "LINK_APPLY", CommitKind.LINK_APPLY,
                    "INDEX", CommitKind.INDEX_BUILD,
                    "MERGE", CommitKind.MAINTENANCE);
    private static final List<CollectionManifest> CHAIN = chain();

    /** The chain starts from an empty collection whose schema already has version 1. */
    private static List<CollectionManifest> chain() {
        CollectionManifest empty =
                ManifestDiff.apply(
                        CollectionManifest.empty(7),
                        CommitKind.LINK_APPLY,
                        0,
                        List.of(new Action.SetSchemaVersion(1)));
        List<CollectionManifest> chain = new ArrayList<>();
        chain.add(withVersion(empty, 0));
        for (Golden commit : FILE.get("chain").list()) {
            CollectionManifest parent = chain.get(chain.size() - 1);
            chain.add(ManifestDiff.apply(parent, operation(commit, parent.version())));
        }
        return chain;
    }

    @Test
    void everySectionIsKnown() {
        assertThat(FILE.members().keySet())
                .isEqualTo(
                        Set.of(
                                "provenance",
                                "field_numbers",
                                "canonical_order",
                                "property_runs",
                                "chain",
                                "manifest_after",
                                "net_diff",
                                "cancelled",
                                "protobuf"));
    }

    static Stream<Golden> fieldNumbers() {
        return FILE.get("field_numbers").members().values().stream();
    }

    @ParameterizedTest
    @MethodSource("fieldNumbers")
    void actionsHaveTheirNumbers(Golden number) {
        List<Action> actions = GoldenActions.examples(number.name());
        assertThat(actions).isNotEmpty();
        for (Action action : actions) {
            assertThat(GoldenActions.fieldNumber(action)).isEqualTo((int) number.u64());
        }
    }

    static Stream<Golden> commits() {
        return FILE.get("chain").list().stream();
    }

    @ParameterizedTest
    @MethodSource("commits")
    void commitsApplyAndAreFoundByDiff(Golden commit) {
        int version = (int) commit.get("version").u64();
        CollectionManifest parent = CHAIN.get(version - 1);
        CollectionManifest child = CHAIN.get(version);
        assertThat(child.version()).isEqualTo(version);
        List<Action> recorded = GoldenActions.read(commit.get("actions"));
        assertThat(ManifestDiff.diff(parent, child)).isEqualTo(recorded);
        assertThat(ManifestFiles.newFiles(PATHS, recorded))
                .containsExactlyElementsOf(texts(commit.get("new_files")));
        UserOperation operation = operation(commit, version - 1);
        assertThat(UserOperationCodec.decodeBody(UserOperationCodec.encodeBody(operation), "x"))
                .isEqualTo(operation);
    }

    static Stream<Golden> manifestsAfter() {
        return FILE.get("manifest_after").list().stream();
    }

    @ParameterizedTest
    @MethodSource("manifestsAfter")
    void manifestsAreAsPinned(Golden after) {
        int version = (int) after.get("version").u64();
        Golden expected = after.get("manifest");
        CollectionManifest manifest = CHAIN.get(version);
        assertThat(expected.members().keySet())
                .isEqualTo(
                        Set.of(
                                "lance_version",
                                "schema_version",
                                "splits",
                                "vector_indexes",
                                "scalar_indexes",
                                "hot_artifacts",
                                "applied",
                                "live_doc_count",
                                "pk_delta",
                                "dead_letters",
                                "dead_letters_total",
                                "skipped_offsets_total"));
        assertThat(manifest.lanceVersion()).isEqualTo(expected.get("lance_version").u64());
        assertThat(manifest.schemaVersion()).isEqualTo(expected.get("schema_version").u64());
        assertThat(manifest.splits())
                .isEqualTo(
                        expected.get("splits").list().stream().map(GoldenActions::split).toList());
        assertThat(manifest.vectorIndexes())
                .isEqualTo(
                        expected.get("vector_indexes").list().stream()
                                .map(GoldenActions::vectorIndex)
                                .toList());
        assertThat(expected.get("scalar_indexes").list()).isEmpty();
        assertThat(manifest.scalarIndexes()).isEmpty();
        assertThat(expected.get("hot_artifacts").list()).isEmpty();
        assertThat(manifest.hotArtifacts()).isEmpty();
        assertThat(manifest.applied()).isEqualTo(new TreeMap<>(expected.get("applied").offsets()));
        assertThat(manifest.liveDocCount()).isEqualTo(expected.get("live_doc_count").u64());
        assertThat(manifest.pkDelta()).isEqualTo(expected.get("pk_delta").text());
        assertThat(manifest.deadLetters()).isEqualTo(expected.get("dead_letters").text());
        assertThat(manifest.deadLettersTotal()).isEqualTo(expected.get("dead_letters_total").u64());
        assertThat(manifest.skippedOffsetsTotal())
                .isEqualTo(expected.get("skipped_offsets_total").u64());
    }

    static Stream<Golden> netDiffs() {
        return FILE.get("net_diff").list().stream();
    }

    @ParameterizedTest
    @MethodSource("netDiffs")
    void netDiffsAreAsPinned(Golden net) {
        CollectionManifest from = CHAIN.get((int) net.get("from").u64());
        CollectionManifest to = CHAIN.get((int) net.get("to").u64());
        List<Action> actions = ManifestDiff.diff(from, to);
        assertThat(actions).isEqualTo(GoldenActions.read(net.get("net")));
        assertThat(ManifestFiles.newFiles(PATHS, actions))
                .containsExactlyElementsOf(texts(net.get("files_added")));
        assertThat(ManifestFiles.removedFiles(PATHS, from, to))
                .containsExactlyElementsOf(texts(net.get("files_removed")));
    }

    @TestFactory
    Stream<DynamicTest> everyPairOfVersions() {
        List<DynamicTest> tests = new ArrayList<>();
        for (int i = 0; i < CHAIN.size(); i++) {
            for (int j = i + 1; j < CHAIN.size(); j++) {
                CollectionManifest from = CHAIN.get(i);
                CollectionManifest to = CHAIN.get(j);
                tests.add(
                        DynamicTest.dynamicTest(
                                i + " to " + j, () -> GoldenActions.checkDiff(from, to)));
            }
        }
        return tests.stream();
    }

    @Test
    void canonicalOrderIsTheOrderOfDiffs() {
        List<String> order = texts(FILE.get("canonical_order"));
        for (CollectionManifest from : CHAIN) {
            for (CollectionManifest to : CHAIN) {
                if (from.version() < to.version()) {
                    assertThat(
                                    ManifestDiff.diff(from, to).stream()
                                            .map(a -> order.indexOf(GoldenActions.name(a)))
                                            .toList())
                            .isSorted()
                            .doesNotContain(-1);
                }
            }
        }
    }

    @Test
    void cancelledTransactionsAreTold() {
        Golden cancelled = FILE.get("cancelled");
        long now = 100_000_000L;
        long delay = CancelledTransactions.MAX_COMMIT_DELAY_MS;
        Map<String, Long> ages =
                Map.of("over commit delay", delay + 1, "under commit delay", delay - 1);
        List<CancelledTransactions.Attempt> attempts = new ArrayList<>();
        Set<String> retained = new HashSet<>();
        for (Golden attempt : cancelled.get("attempts").list()) {
            boolean onChain =
                    attempt.get("on_chain").value().equals(new JsonValue.JsonBoolean(true));
            String age = attempt.text("age", "over commit delay");
            assertThat(ages).containsKey(age);
            attempts.add(
                    new CancelledTransactions.Attempt(
                            attempt.get("manifest").text(),
                            uuid(attempt.get("uuid").text()),
                            now - ages.get(age),
                            new HashSet<>(texts(attempt.get("new_files"))),
                            onChain));
        }
        Map<String, CancelledTransactions.State> states =
                Map.of(
                        "superseded", CancelledTransactions.State.SUPERSEDED,
                        "cancelled", CancelledTransactions.State.CANCELLED,
                        "in flight", CancelledTransactions.State.IN_FLIGHT);
        List<CancelledTransactions.Verdict> verdicts =
                CancelledTransactions.classify(attempts, now, delay, retained);
        List<Golden> results = cancelled.get("result").list();
        assertThat(verdicts).hasSameSizeAs(results);
        for (int i = 0; i < results.size(); i++) {
            String state = results.get(i).get("state").text();
            assertThat(states).containsKey(state);
            assertThat(verdicts.get(i).attempt().uuid())
                    .isEqualTo(uuid(results.get(i).get("uuid").text()));
            assertThat(verdicts.get(i).state()).isEqualTo(states.get(state));
            assertThat(verdicts.get(i).reclaimable())
                    .containsExactlyElementsOf(texts(results.get(i).get("files")));
        }
    }

    @Test
    void protobufBytesAreAsPinned() {
        Golden protobuf = FILE.get("protobuf");
        UserOperation operation =
                new UserOperation(
                        UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f"),
                        7,
                        List.of(
                                new UserAction(
                                        "append 3 rows",
                                        List.of(
                                                new Action.SetLanceVersion(
                                                        1,
                                                        Long.parseUnsignedLong(
                                                                "9223372036854775813")),
                                                new Action.AdjustCounters(3, 1, 0))),
                                new UserAction("tag it", List.of(Action.AddTag.named("train-1")))),
                        null,
                        0,
                        "",
                        Map.of(),
                        0);
        byte[] bytes = protobuf.get("operation_hex").hex();
        assertThat(UserOperationCodec.decodeBody(bytes, "x")).isEqualTo(operation);
        assertThat(UserOperationCodec.encodeBody(operation)).isEqualTo(bytes);
        CollectionManifest with =
                ManifestCodec.decode(wrap(protobuf.get("manifest_with_hex").hex()), "x");
        CollectionManifest without =
                ManifestCodec.decode(wrap(protobuf.get("manifest_without_hex").hex()), "x");
        assertThat(without.version()).isEqualTo(8);
        assertThat(without.parentVersion()).isEqualTo(7);
        assertThat(without.operation()).isNull();
        assertThat(with.operation()).isEqualTo(operation);
        assertThat(GoldenActions.withOperation(with, null)).isEqualTo(without);
        assertThat(ManifestCodec.encode(with))
                .isEqualTo(wrap(protobuf.get("manifest_with_hex").hex()));
        assertThat(ManifestCodec.encode(without))
                .isEqualTo(wrap(protobuf.get("manifest_without_hex").hex()));
    }

    private static byte[] wrap(byte[] body) {
        return Envelope.wrap(Envelope.Type.OPCM, body);
    }

    private static UserOperation operation(Golden commit, long readVersion) {
        CommitKind kind = KINDS.get(commit.get("kind").text());
        assertThat(kind).as(commit.get("kind").text()).isNotNull();
        return new UserOperation(
                uuid(commit.name()),
                readVersion,
                List.of(new UserAction("step", GoldenActions.read(commit.get("actions")))),
                kind,
                17,
                "test",
                Map.of("k", "v"),
                0);
    }

    private static UUID uuid(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> texts(Golden list) {
        return list.list().stream().map(Golden::text).toList();
    }

    private static CollectionManifest withVersion(CollectionManifest m, long version) {
        return new CollectionManifest(
                version,
                0,
                m.collectionId(),
                m.schemaVersion(),
                m.createdAtMs(),
                m.lanceVersion(),
                m.splits(),
                m.vectorIndexes(),
                m.hotArtifacts(),
                m.applied(),
                m.liveDocCount(),
                m.parentManifest(),
                m.kind(),
                m.pkDelta(),
                m.deadLetters(),
                m.deadLettersTotal(),
                m.skippedOffsetsTotal(),
                m.scalarIndexes(),
                m.operation(),
                m.operationPath(),
                m.properties(),
                m.rowIdHighWater());
    }

    /** Reads a split of the file: members it leaves out are 0. */
    static SplitRef splitOf(Ulid ulid, Golden s) {
        return new SplitRef(
                ulid,
                s.get("doc_count").u64(),
                s.get("deleted_count").u64(),
                0,
                0,
                0,
                s.get("rows").ranges(),
                s.get("delete_bitmap").text(),
                s.get("schema_version").u64(),
                0,
                (int) s.get("merge_ops").u64(),
                0);
    }
}
