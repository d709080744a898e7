package io.loam.codec.manifest;

import io.loam.codec.Ulid;
import io.loam.codec.proto.UserOperationProto;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** Actions as user-operation.json writes them, and checks on diffs. */
final class GoldenActions {
    private GoldenActions() {}

    static List<Action> read(Golden actions) {
        return actions.list().stream().map(GoldenActions::action).toList();
    }

    private static Action action(Golden a) {
        Action action =
                switch (a.get("action").text()) {
                    case "SetLanceVersion" ->
                            new Action.SetLanceVersion(a.get("from").u64(), a.get("to").u64());
                    case "AddSplit" ->
                            new Action.AddSplit(
                                    split(a.get("split")), (int) a.get("position").u64());
                    case "RemoveSplit" -> new Action.RemoveSplit(ulid(a));
                    case "UpdateSplit" ->
                            new Action.UpdateSplit(
                                    ulid(a),
                                    a.get("deleted_count").u64(),
                                    a.get("delete_bitmap").text());
                    case "AddIndexRef" -> {
                        assertThat(a.get("list").text()).isEqualTo("vector_indexes");
                        yield new Action.AddVectorIndexRef(vectorIndex(a.get("ref")));
                    }
                    case "RemoveIndexRef" -> new Action.RemoveIndexRef(a.get("uuid").text());
                    case "AdvanceOffsets" -> new Action.AdvanceOffsets(a.get("next").offsets());
                    case "AdjustCounters" ->
                            new Action.AdjustCounters(
                                    a.get("live_docs").u64(),
                                    a.get("dead_letters").u64(),
                                    a.get("skipped_offsets").u64());
                    case "AttachFiles" ->
                            new Action.AttachFiles(
                                    a.get("pk_delta").text(), a.get("dead_letters").text());
                    default -> throw new AssertionError("unknown action " + a.get("action").text());
                };
        assertThat(fieldNumber(action)).isEqualTo((int) a.get("field").u64());
        return action;
    }

    private static Ulid ulid(Golden object) {
        return Ulid.parse(object.get("ulid").text());
    }

    static SplitRef split(Golden s) {
        return UserOperationGoldenTest.splitOf(ulid(s), s);
    }

    static VectorIndexRef vectorIndex(Golden i) {
        return new VectorIndexRef(
                i.get("column").text(),
                i.get("uuid").text(),
                i.get("upto").u64(),
                i.get("index_name").text(),
                "",
                VectorIndexRef.Kind.IVF_PQ);
    }

    /** The name the specification gives an action. */
    static String name(Action action) {
        if (action instanceof Action.AddVectorIndexRef
                || action instanceof Action.AddScalarIndexRef) {
            return "AddIndexRef";
        }
        return action.getClass().getSimpleName();
    }

    /** The field number under which an action is really written. */
    static int fieldNumber(Action action) {
        UserOperation operation = operation(List.of(action));
        try {
            return UserOperationProto.UserOperation.parseFrom(
                            UserOperationCodec.encodeBody(operation))
                    .getActions(0)
                    .getActions(0)
                    .getActionCase()
                    .getNumber();
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    static UserOperation operation(List<Action> actions) {
        return new UserOperation(
                new UUID(1, 2),
                3,
                List.of(new UserAction("a step", actions)),
                CommitKind.MAINTENANCE,
                4,
                "me",
                Map.of("a", "b"),
                5);
    }

    /** Actions with the given name, every shape of them. */
    static List<Action> examples(String name) {
        return EXAMPLES.stream().filter(action -> name(action).equals(name)).toList();
    }

    private static OpaqueMessage opaque(int... bytes) {
        byte[] copy = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            copy[i] = (byte) bytes[i];
        }
        return OpaqueMessage.of(copy);
    }

    private static final SplitRef SPLIT =
            new SplitRef(
                    new Ulid(1, -1),
                    3,
                    1,
                    100,
                    20,
                    100,
                    List.of(new RowIdRange(-9, -6)),
                    "d",
                    2,
                    -1,
                    4,
                    -5);

    /** At least one of every kind of action, with extreme numbers. */
    static final List<Action> EXAMPLES =
            List.of(
                    new Action.SetLanceVersion(0, -1),
                    new Action.AddSplit(SPLIT, 2),
                    new Action.RemoveSplit(new Ulid(-1, -1)),
                    new Action.UpdateSplit(new Ulid(0, 0), -1, "p"),
                    new Action.AddVectorIndexRef(
                            new VectorIndexRef(
                                    "c", "u", -1, "n", "v", VectorIndexRef.Kind.IVF_HNSW_SQ)),
                    new Action.AddScalarIndexRef(new ScalarIndexRef("c", "u", -1, "n")),
                    new Action.RemoveIndexRef("u"),
                    new Action.SetHotArtifact(new HotArtifactRef("hnsw", "c", "p/", -1)),
                    new Action.RemoveHotArtifact("c"),
                    new Action.AdvanceOffsets(Map.of(0, 0L, -1, -1L)),
                    new Action.AdjustCounters(Long.MIN_VALUE, -1, 1),
                    new Action.SetSchemaVersion(-1),
                    new Action.AttachFiles("a", ""),
                    new Action.AttachFiles("", "b"),
                    new Action.EraseMark("e", Map.of(3, 4L)),
                    Action.AddTag.named("t"),
                    new Action.AddTag("t", 0L, "", 0L, true),
                    new Action.RemoveTag("t"),
                    new LanceAction.AddFragments(List.of(opaque(8, 1), opaque())),
                    LanceAction.RemoveFragments.of(0, -1),
                    LanceAction.UpdateFragment.withDeletionFile(7, new byte[] {8, 1}),
                    new LanceAction.UpdateFragment(
                            -1,
                            List.of(opaque(10, 1, 'x')),
                            List.of("y"),
                            null,
                            true,
                            new LanceAction.RowSequence(false, opaque(1)),
                            new LanceAction.RowSequence(true, opaque()),
                            new LanceAction.RowSequence(false, opaque()),
                            0L,
                            List.of(-2, 5)),
                    new LanceAction.AddFields(List.of(opaque(1)), Map.of("k", opaque(2))),
                    new LanceAction.DropFields(List.of(1), List.of("k")),
                    new LanceAction.UpdateSchemaMetadata(Map.of("k", opaque(2)), List.of("r")),
                    new LanceAction.AddIndex(
                            opaque(
                                    10, 18, 10, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                    14, 15)),
                    new LanceAction.RemoveIndex(new UUID(-1, -2)),
                    new LanceAction.UpdateConfig(Map.of("k", "v"), List.of("r")),
                    new LanceAction.UpdateTableMetadata(Map.of("k", "v"), List.of("r")),
                    new LanceAction.SetDataFormat(opaque(1)),
                    new LanceAction.SetFeatureFlags(3, -1));

    /** P4: the diff leads from one manifest to the other. */
    static void checkDiff(CollectionManifest from, CollectionManifest to) {
        List<Action> actions = ManifestDiff.diff(from, to);
        CollectionManifest applied = ManifestDiff.apply(from, to.kind(), 0, actions);
        assertThat(ManifestDiff.difference(applied, to)).isEmpty();
    }

    static CollectionManifest withOperation(CollectionManifest m, UserOperation operation) {
        return new CollectionManifest(
                m.version(),
                m.parentVersion(),
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
                operation,
                m.operationPath(),
                m.properties(),
                m.rowIdHighWater());
    }

    /** The number of every kind of action there is. */
    static Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new HashMap<>();
        EXAMPLES.forEach(action -> numbers.put(name(action), fieldNumber(action)));
        return numbers;
    }
}
