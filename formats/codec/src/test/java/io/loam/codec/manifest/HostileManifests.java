package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.testing.HostileDecoder;

import org.roaringbitmap.RoaringBitmap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Decoders of this package and samples for them. */
public final class HostileManifests {
    private static final String PATH = "some/object";
    private static final List<RandomChain.Commit> COMMITS =
            new RandomChain(new Random(17)).commits(40);

    private HostileManifests() {}

    public static List<HostileDecoder<?>> decoders() {
        return List.of(
                HostileDecoder.of(
                                "collection manifest",
                                bytes -> ManifestCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(manifests())
                        .frame(framed(Envelope.Type.OPCM))
                        .protobuf()
                        .encoder(ManifestCodec::encode),
                HostileDecoder.of(
                                "what a manifest names",
                                HostileManifests::uses,
                                CorruptException.class,
                                ManifestDiffException.class)
                        .samples(manifests())
                        .frame(framed(Envelope.Type.OPCM))
                        .protobuf(),
                HostileDecoder.of(
                                "operation in a manifest",
                                bytes -> ManifestCodec.operationDamage(bytes, PATH),
                                CorruptException.class)
                        .samples(manifests())
                        .frame(framed(Envelope.Type.OPCM))
                        .protobuf(),
                HostileDecoder.of(
                                "user operation",
                                bytes -> UserOperationCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(operations())
                        .frame(framed(Envelope.Type.OPUO))
                        .protobuf()
                        .encoder(UserOperationCodec::encode),
                HostileDecoder.of(
                                "user operation, applied",
                                HostileManifests::applied,
                                CorruptException.class,
                                ManifestDiffException.class)
                        .samples(commits())
                        .frame(framed(Envelope.Type.OPUO))
                        .protobuf(),
                HostileDecoder.of(
                                "delete bitmap",
                                bytes -> DeleteBitmapCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(bitmaps())
                        .frame(framed(Envelope.Type.OPDB))
                        .encoder(DeleteBitmapCodec::encode),
                HostileDecoder.of(
                                "PK delta",
                                bytes -> PkDeltaCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(deltas())
                        .frame(framed(Envelope.Type.OPPD))
                        .encoder(PkDeltaCodec::encode),
                HostileDecoder.of(
                                "dead letters",
                                bytes -> DeadLetterCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(List.of(body(DeadLetterCodec.encode(letters()))))
                        .frame(framed(Envelope.Type.OPDL))
                        .encoder(DeadLetterCodec::encode)
                        .comparedAsBytes());
    }

    public static UnaryOperator<byte[]> framed(Envelope.Type type) {
        return body -> Envelope.wrap(type, body);
    }

    /** An object without its envelope. */
    public static byte[] body(byte[] object) {
        return Arrays.copyOfRange(
                object,
                Envelope.PREFIX_BYTES,
                object.length - Envelope.MIN_BYTES + Envelope.PREFIX_BYTES);
    }

    private static List<byte[]> manifests() {
        List<byte[]> bodies = new ArrayList<>();
        COMMITS.forEach(commit -> bodies.add(body(ManifestCodec.encode(commit.child()))));
        Golden.file("envelopes.json").get("objects").list().stream()
                .filter(object -> object.get("magic").text().equals("OPCM") && object.has("hex"))
                .forEach(object -> bodies.add(body(object.get("hex").hex())));
        return bodies;
    }

    private static List<byte[]> commits() {
        return COMMITS.stream()
                .map(commit -> body(UserOperationCodec.encode(commit.operation())))
                .toList();
    }

    private static List<byte[]> operations() {
        List<byte[]> bodies = new ArrayList<>(commits());
        bodies.add(
                body(
                        UserOperationCodec.encode(
                                new UserOperation(
                                        new UUID(1, 2),
                                        0,
                                        List.of(new UserAction("every action", everyAction())),
                                        null,
                                        5,
                                        "test",
                                        Map.of(),
                                        0))));
        return bodies;
    }

    private static List<Action> everyAction() {
        OpaqueMessage message = OpaqueMessage.of(new byte[] {8, 1});
        return List.of(
                LanceAction.AddFragments.ofBytes(List.of(new byte[] {8, 1})),
                LanceAction.RemoveFragments.of(1, -1),
                new LanceAction.UpdateFragment(
                        3,
                        List.of(message),
                        List.of("a.lance"),
                        null,
                        true,
                        new LanceAction.RowSequence(false, message),
                        new LanceAction.RowSequence(true, message),
                        null,
                        5L,
                        List.of(1, 2)),
                LanceAction.UpdateFragment.withDeletionFile(4, new byte[] {8, 1}),
                new LanceAction.AddFields(List.of(message), Map.of("k", message)),
                new LanceAction.DropFields(List.of(4), List.of("k")),
                new LanceAction.UpdateSchemaMetadata(Map.of("k", message), List.of("l")),
                new LanceAction.AddIndex(index()),
                new LanceAction.RemoveIndex(new UUID(3, 4)),
                new LanceAction.UpdateConfig(Map.of("a", "b"), List.of("c")),
                new LanceAction.UpdateTableMetadata(Map.of("a", "b"), List.of("c")),
                new LanceAction.SetDataFormat(message),
                new LanceAction.SetFeatureFlags(1, 2),
                Action.AddTag.named("tag"));
    }

    /** A Lance index with an id and nothing else. */
    private static OpaqueMessage index() {
        return OpaqueMessage.of(
                HexFormat.of().parseHex("0a120a100102030405060708090a0b0c0d0e0f10"));
    }

    private static List<byte[]> bitmaps() {
        List<byte[]> bodies = new ArrayList<>();
        RoaringBitmap array = RoaringBitmap.bitmapOf(1, 5, 70_000, 200_000, 270_000, 400_000);
        RoaringBitmap runs = RoaringBitmap.bitmapOfRange(10, 100_000);
        runs.runOptimize();
        RoaringBitmap mixed = RoaringBitmap.bitmapOfRange(0, 66_000);
        mixed.add(500_000);
        mixed.runOptimize();
        mixed.or(array);
        for (RoaringBitmap bitmap : List.of(array, runs, mixed, new RoaringBitmap())) {
            DeleteBitmap deleted = new DeleteBitmap(new Ulid(1, 2), 600_000, bitmap);
            bodies.add(body(DeleteBitmapCodec.encode(deleted)));
        }
        return bodies;
    }

    private static List<byte[]> deltas() {
        List<PkDelta.Entry> entries =
                List.of(
                        new PkDelta.Entry(PrimaryKey.ofU64(1), 7L),
                        new PkDelta.Entry(PrimaryKey.ofU64(-1), -1L),
                        new PkDelta.Entry(PrimaryKey.ofUuid(new UUID(1, 2)), null),
                        new PkDelta.Entry(PrimaryKey.ofString("äöü"), 0L),
                        new PkDelta.Entry(PrimaryKey.ofString("z".repeat(500)), null));
        return List.of(
                body(PkDeltaCodec.encode(PkDelta.of(entries))),
                body(PkDeltaCodec.encode(PkDelta.of(List.of()))));
    }

    public static List<DeadLetter> letters() {
        return List.of(
                new DeadLetter(0, 5, null, null, "undecodable: missing record key"),
                new DeadLetter(1, -1, new byte[] {1}, new byte[0], "schema: ü"),
                new DeadLetter(-1, 7, new byte[9], new byte[300], "wrong_partition: 3"));
    }

    /** Everything readers do with a manifest before they open another object. */
    private static Object uses(byte[] object) {
        CollectionManifest manifest = ManifestCodec.decode(object, PATH);
        CollectionPaths paths = new CollectionPaths(1, 7);
        SortedSet<String> files = ManifestFiles.referenced(paths, manifest);
        files.forEach(
                file -> {
                    CollectionPaths.manifestVersion(file);
                    paths.objectTimeMs(file, 1);
                });
        RowLocator rows = RowLocator.of(manifest.splits());
        rows.locate(manifest.rowIdHighWater());
        for (int i = 0; i < manifest.splits().size(); i++) {
            rows.rowId(i, manifest.splits().get(i).docCount() - 1).ifPresent(rows::locate);
        }
        CollectionManifest before = CollectionManifest.empty(7);
        ManifestDiff.difference(before, manifest);
        ManifestDiff.diff(before, manifest);
        return files;
    }

    private static CollectionManifest applied(byte[] object) {
        UserOperation operation = UserOperationCodec.decode(object, PATH);
        for (RandomChain.Commit commit : COMMITS) {
            if (commit.parent().version() == operation.readVersion()) {
                return ManifestDiff.apply(commit.parent(), operation);
            }
        }
        ManifestFiles.newFiles(new CollectionPaths(1, 7), operation.allActions());
        return ManifestDiff.apply(CollectionManifest.empty(7), operation);
    }
}
