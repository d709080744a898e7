package io.loam.codec;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.KeyLawsTest;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.DeleteBitmap;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.record.ConsistencyToken;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseVectors;
import io.loam.codec.record.SparseWeights;
import io.loam.codec.split.Hotcache;
import io.loam.codec.split.Hotcache.CachedFile;
import io.loam.codec.split.Hotcache.Slice;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.StagedUnitCodec;
import io.loam.codec.staged.UnitColumn;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.roaringbitmap.RoaringBitmap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** What is encoded is decoded to the same, whatever it is; and the laws of tokens and ULIDs. */
class CodecLawsTest {
    private static final String PATH = "x";

    @Property
    void json(@ForAll("values") JsonValue value) {
        byte[] printed = Json.print(value);
        assertThat(Json.parse(printed)).isEqualTo(value);
        assertThat(Json.print(Json.parse(printed))).isEqualTo(printed);
    }

    @Property
    void records(@ForAll("operations") Operation operation) {
        byte[] value = RecordCodec.encode(operation);
        Operation decoded = RecordCodec.decode(operation.key().canonical(), value);
        assertThat(decoded.key()).isEqualTo(operation.key());
        // Optionals of arrays have no equality of their own; the encoding is canonical.
        assertThat(RecordCodec.encode(decoded)).isEqualTo(value);
        if (!(operation instanceof Patch)) {
            assertThat(decoded).isEqualTo(operation);
        }
    }

    @Property
    void recordsOfOtherKeysAreRefused(
            @ForAll("operations") Operation operation, @ForAll("keys") PrimaryKey key) {
        if (!key.equals(operation.key())) {
            assertThat(
                            org.assertj.core.api.Assertions.catchThrowable(
                                    () ->
                                            RecordCodec.decode(
                                                    key.canonical(),
                                                    RecordCodec.encode(operation))))
                    .isInstanceOf(io.loam.codec.record.RecordException.class);
        }
    }

    @Property
    void sparseWeights(@ForAll("sparse") SparseVector vector) {
        assertThat(SparseWeights.decode(SparseWeights.encode(vector))).isEqualTo(vector);
    }

    @Property
    void bitmaps(@ForAll("bitmaps") RoaringBitmap bitmap) {
        assertThat(RoaringFormat.decode(RoaringFormat.encode(bitmap), 0, PATH)).isEqualTo(bitmap);
        long docs = bitmap.isEmpty() ? 0 : (bitmap.last() & 0xffffffffL) + 1;
        DeleteBitmap deletes = new DeleteBitmap(new Ulid(1, 2), docs, bitmap);
        assertThat(DeleteBitmapCodec.decode(DeleteBitmapCodec.encode(deletes), PATH))
                .isEqualTo(deletes);
    }

    @Property
    void pkDeltas(@ForAll("keyLists") List<PrimaryKey> keys, @ForAll long row) {
        List<PkDelta.Entry> entries = new ArrayList<>();
        for (PrimaryKey key : keys) {
            entries.add(
                    new PkDelta.Entry(key, entries.size() % 3 == 0 ? null : row + entries.size()));
        }
        PkDelta delta = PkDelta.of(entries);
        assertThat(PkDeltaCodec.decode(PkDeltaCodec.encode(delta), PATH)).isEqualTo(delta);
        // The last entry of a key counts, so that an entry more before the others changes nothing.
        if (!entries.isEmpty()) {
            entries.add(0, new PkDelta.Entry(entries.get(0).key(), row - 1));
            assertThat(PkDelta.of(entries)).isEqualTo(delta);
        }
    }

    @Property
    void keyLists(@ForAll("keyLists") List<PrimaryKey> keys, @ForAll long row) {
        List<KeyChange> changes = new ArrayList<>();
        keys.stream()
                .distinct()
                .sorted()
                .forEach(
                        key ->
                                changes.add(
                                        new KeyChange(
                                                key,
                                                changes.size() % 2 == 0 ? null : row,
                                                changes.size() % 3 == 0 ? null : row + 1)));
        assertThat(KeyListCodec.decode(KeyListCodec.encode(changes), PATH)).isEqualTo(changes);
    }

    @Property
    void deadLetters(
            @ForAll int partition,
            @ForAll long offset,
            @ForAll byte[] bytes,
            @ForAll("texts") String reason) {
        List<DeadLetter> letters =
                List.of(
                        new DeadLetter(partition, offset, null, bytes, reason),
                        new DeadLetter(partition, offset, bytes, null, ""));
        assertThat(DeadLetterCodec.decode(DeadLetterCodec.encode(letters), PATH))
                .usingRecursiveComparison()
                .isEqualTo(letters);
    }

    @Property
    void units(
            @ForAll long a, @ForAll long b, @ForAll("texts") String text, @ForAll int dimension) {
        StagedUnit unit =
                new StagedUnit(
                        new Ulid(a, b),
                        a,
                        b,
                        a,
                        b,
                        a,
                        text,
                        b,
                        List.of(new UnitColumn(text, dimension)),
                        null,
                        a,
                        b,
                        a,
                        b);
        assertThat(StagedUnitCodec.decode(StagedUnitCodec.encode(unit))).isEqualTo(unit);
        UnitDescriptor descriptor =
                new UnitDescriptor(new Ulid(a, b), new Ulid(b, a), a, List.of(text, ""));
        assertThat(UnitDescriptorCodec.decode(UnitDescriptorCodec.encode(descriptor), PATH))
                .isEqualTo(descriptor);
    }

    @Property
    void hotcaches(@ForAll("texts") String file, @ForAll byte[] bytes, @ForAll byte[] more) {
        Hotcache cache =
                new Hotcache(
                        Map.of(
                                file,
                                new CachedFile(
                                        (long) bytes.length + more.length + 7,
                                        List.of(
                                                new Slice(0, bytes),
                                                new Slice(bytes.length + 7L, more)))));
        assertThat(Hotcache.parse(PATH, cache.encode())).isEqualTo(cache);
    }

    @Property
    void ulids(@ForAll long high, @ForAll long low, @ForAll long high2, @ForAll long low2) {
        Ulid ulid = new Ulid(high, low);
        Ulid other = new Ulid(high2, low2);
        assertThat(Ulid.parse(ulid.toString())).isEqualTo(ulid);
        assertThat(Ulid.fromBytes(ulid.toBytes())).isEqualTo(ulid);
        int order = Integer.signum(ulid.compareTo(other));
        assertThat(Integer.signum(ulid.toString().compareTo(other.toString()))).isEqualTo(order);
        assertThat(
                        Integer.signum(
                                java.util.Arrays.compareUnsigned(ulid.toBytes(), other.toBytes())))
                .isEqualTo(order);
    }

    @Property
    void tokens(
            @ForAll("tokens") ConsistencyToken a,
            @ForAll("tokens") ConsistencyToken b,
            @ForAll("tokens") ConsistencyToken c) {
        assertThat(ConsistencyToken.parse(a.toString())).contains(a);
        assertThat(a.merge(b)).isEqualTo(b.merge(a));
        assertThat(a.merge(b).merge(c)).isEqualTo(a.merge(b.merge(c)));
        assertThat(a.merge(a)).isEqualTo(a.normalized());
        assertThat(a.normalized().normalized()).isEqualTo(a.normalized());
    }

    @Provide
    Arbitrary<String> texts() {
        return text();
    }

    /** Any text that is UTF-8: no half of a surrogate pair. */
    private static Arbitrary<String> text() {
        return Arbitraries.strings()
                .withChars('a', 'Z', '.', '"', '\\', '/', '\u0000', '\n', '\u007f', 'ä', '\u2028')
                .withCharRange('\ue000', '\uffff')
                .ofMaxLength(12)
                .map(text -> text.length() % 5 == 4 ? text + "\ud83d\ude00" : text);
    }

    @Provide
    Arbitrary<JsonValue> values() {
        return Arbitraries.lazyOf(
                () -> Arbitraries.just(JsonValue.NULL),
                () -> Arbitraries.of(true, false).map(JsonBoolean::new),
                () -> text().map(JsonString::new),
                () -> Arbitraries.longs().map(JsonInteger::of),
                () -> Arbitraries.longs().lessOrEqual(-1).map(n -> new JsonInteger(n, true)),
                () -> Arbitraries.doubles().map(CodecLawsTest::real),
                () -> values().list().ofMaxSize(4).map(JsonArray::new),
                () -> objects().map(object -> object));
    }

    private static JsonDouble real(double value) {
        return new JsonDouble(value);
    }

    @Provide
    Arbitrary<JsonObject> objects() {
        return Arbitraries.maps(text(), Arbitraries.lazy(this::values))
                .ofMaxSize(4)
                .map(members -> new JsonObject(new LinkedHashMap<>(members)));
    }

    @Provide
    Arbitrary<PrimaryKey> keys() {
        return KeyLawsTest.key();
    }

    @Provide
    Arbitrary<List<PrimaryKey>> keyLists() {
        return KeyLawsTest.key().list().ofMaxSize(20);
    }

    private static Arbitrary<float[]> floats() {
        return Arbitraries.floats().array(float[].class).ofMaxSize(6);
    }

    @Provide
    Arbitrary<SparseVector> sparse() {
        return Arbitraries.maps(Arbitraries.integers(), Arbitraries.floats())
                .ofMaxSize(8)
                .map(
                        weights -> {
                            int[] indices = weights.keySet().stream().mapToInt(i -> i).toArray();
                            float[] values = new float[indices.length];
                            for (int i = 0; i < indices.length; i++) {
                                values[i] = weights.get(indices[i]);
                            }
                            return SparseVectors.canonical(indices, values);
                        });
    }

    private Arbitrary<Document> documents() {
        return Combinators.combine(
                        keys(),
                        objects(),
                        Arbitraries.maps(text(), floats()).ofMaxSize(2),
                        Arbitraries.maps(text(), sparse()).ofMaxSize(2))
                .as(Document::new);
    }

    @Provide
    Arbitrary<Operation> operations() {
        Arbitrary<Operation> upserts = documents().map(Operation.Upsert::new);
        Arbitrary<Operation> deletes = keys().map(Operation.Delete::new);
        Arbitrary<Operation> patches =
                Combinators.combine(
                                keys(),
                                Arbitraries.of(PatchMode.class),
                                objects(),
                                text().list().ofMaxSize(3),
                                Arbitraries.maps(text(), floats().optional()).ofMaxSize(2),
                                Arbitraries.maps(text(), sparse().optional()).ofMaxSize(2),
                                documents().injectNull(0.5))
                        .as(CodecLawsTest::patch);
        return Arbitraries.oneOf(upserts, deletes, patches);
    }

    private static Operation patch(
            PrimaryKey key,
            PatchMode mode,
            JsonObject source,
            List<String> deleteKeys,
            Map<String, Optional<float[]>> vectors,
            Map<String, Optional<SparseVector>> sparse,
            Document upsert) {
        return new Patch(key, mode, source, deleteKeys, vectors, sparse, upsert);
    }

    @Provide
    Arbitrary<RoaringBitmap> bitmaps() {
        Arbitrary<RoaringBitmap> scattered =
                Arbitraries.integers()
                        .between(0, 300_000)
                        .array(int[].class)
                        .ofMaxSize(40)
                        .map(RoaringBitmap::bitmapOf);
        Arbitrary<RoaringBitmap> runs =
                Combinators.combine(
                                Arbitraries.longs().between(0, 100_000),
                                Arbitraries.longs().between(0, 100_000),
                                Arbitraries.of(true, false))
                        .as(
                                (from, length, optimized) -> {
                                    RoaringBitmap bitmap =
                                            RoaringBitmap.bitmapOfRange(from, from + length);
                                    if (optimized) {
                                        bitmap.runOptimize();
                                    }
                                    return bitmap;
                                });
        return Combinators.combine(scattered, runs, Arbitraries.integers().between(0, 3))
                .as(
                        (a, b, how) ->
                                switch (how) {
                                    case 0 -> a;
                                    case 1 -> b;
                                    case 2 -> RoaringBitmap.or(a, b);
                                    default -> RoaringBitmap.andNot(b, a);
                                });
    }

    @Provide
    Arbitrary<ConsistencyToken> tokens() {
        return Combinators.combine(
                        Arbitraries.longs().between(-2, 2),
                        Arbitraries.integers().between(-2, 2),
                        Arbitraries.longs())
                .as(ConsistencyToken.Item::new)
                .list()
                .ofMaxSize(6)
                .map(ConsistencyToken::new);
    }
}
