package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.StoredObjects;
import io.loam.store.erase.Leftovers.Leftover;
import io.loam.store.retry.Pause;
import io.loam.store.testing.TestCollection;

import com.github.luben.zstd.Zstd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever is left in any kind of object is found and named; what belongs to others is not. */
class LeftoverScanTest {
    private static final PrimaryKey KEY = PrimaryKey.ofU64(5);
    private static final String TEXT = "what nobody is to read";
    private static final Ulid UNIT = Ulid.of(1_700_000_000_000L, 1, 2);

    @TempDir Path dir;
    private TestCollection collection;
    private CollectionHandle handle;
    private CollectionPaths paths;
    private final ErasureSecret secret = new ErasureSecret(new byte[ErasureSecret.BYTES]);
    private ErasureRequest request;

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 2);
        handle = collection.open();
        paths = handle.paths();
        request =
                new Eraser(handle, EraseOptions.of("test"), dir, line -> {}, Pause.real())
                        .request(List.of(KEY), Map.of(), secret);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private Leftovers look(List<PrimaryKey> known) throws IOException {
        return LeftoverScan.of(
                handle,
                ErasedKeys.of(request, secret, known),
                List.of(TEXT.getBytes(StandardCharsets.UTF_8)));
    }

    private void requireFound(String path, byte[] object, String what) throws IOException {
        assertThat(look(List.of()).found()).isEmpty();
        handle.objects().put(path, object);
        for (List<PrimaryKey> known : List.of(List.<PrimaryKey>of(), List.of(KEY))) {
            Leftovers left = look(known);
            assertThat(left.found()).contains(new Leftover(path, what));
            assertThat(left.none()).isFalse();
        }
        handle.objects().delete(path);
    }

    private void requireKeyFound(String path, byte[] object) throws IOException {
        requireFound(path, object, "an erased key");
    }

    private void requireTextFound(String path) throws IOException {
        byte[] object = ("x" + TEXT + "y").getBytes(StandardCharsets.UTF_8);
        requireFound(path, object, "a sequence of 22 bytes of an erased document");
    }

    @Test
    void keysAreFoundInEveryKindOfObjectThatHasKeys() throws IOException {
        requireKeyFound(
                paths.pkDelta(3, UNIT),
                PkDeltaCodec.encode(PkDelta.of(List.of(new PkDelta.Entry(KEY, null)))));
        requireKeyFound(
                paths.stagedKeys(UNIT), KeyListCodec.encode(List.of(new KeyChange(KEY, null, 7L))));
        List<DeadLetter> letters =
                List.of(new DeadLetter(0, 1, KEY.canonical(), new byte[] {1}, "undecodable: x"));
        requireKeyFound(paths.deadLetters(3, UNIT), DeadLetterCodec.encode(letters));
        requireKeyFound(paths.stagedDeadLetters(UNIT), DeadLetterPartCodec.encode(letters));
        byte[] upsert =
                RecordCodec.encode(new Operation.Upsert(TestCollection.document(5, "{\"n\":5}")));
        requireKeyFound(
                paths.lanceData("x.lance"),
                new PostcardWriter()
                        .bytes(KEY.canonical())
                        .bytes(upsert)
                        .bytes(new byte[0])
                        .u32(0)
                        .u64(0)
                        .toByteArray());
        requireKeyFound(
                paths.split(UNIT),
                new PostcardWriter().u64(0).bytes(KEY.canonical()).bytes(upsert).toByteArray());
    }

    @Test
    void sequencesAreFoundInEveryObject() throws IOException {
        for (String path :
                List.of(
                        paths.lance() + "_indices/0d6f8a3e-0000-4000-8000-000000000000/index.idx",
                        paths.lance() + "_transactions/x.txn",
                        paths.lance() + "_deletions/1-2-3.bin",
                        paths.lance() + "somewhere/else",
                        paths.hotArtifact("v", 3, UNIT) + "files/graph.000000",
                        paths.deleteBitmap(UNIT, UNIT),
                        paths.operation(3, UNIT),
                        paths.root() + "readme.txt",
                        paths.keyIndexDatabase() + "/x.sst",
                        "_erasure/1/note.txt")) {
            requireTextFound(path);
        }
    }

    @Test
    void sequencesAreFoundInCompressedChunksAndAcrossThem() throws IOException {
        announce(paths.hotArtifact("v", 3, UNIT));
        String file = paths.hotArtifact("v", 3, UNIT) + "files/graph/points.bin.";
        byte[] text = TEXT.getBytes(StandardCharsets.UTF_8);
        int half = 1 << 15;
        for (int at : new int[] {100, half - 5}) {
            byte[] whole = new byte[2 * half];
            System.arraycopy(text, 0, whole, at, text.length);
            handle.objects().put(file + "000000", Zstd.compress(Arrays.copyOf(whole, half)));
            handle.objects()
                    .put(
                            file + "000001",
                            Zstd.compress(Arrays.copyOfRange(whole, half, whole.length)));
            assertThat(look(List.of()).found())
                    .containsExactly(
                            new Leftover(
                                    file + (at == 100 ? "000000" : "000001"),
                                    "a sequence of 22 bytes of an erased document"));
            handle.objects().delete(file + "000000");
            handle.objects().delete(file + "000001");
        }
        handle.objects().put(file + "000001", new byte[] {1, 2, 3});
        assertThat(look(List.of()).found())
                .singleElement()
                .satisfies(left -> assertThat(left.what()).startsWith("it cannot be read: "));
    }

    private void announce(String prefix) throws IOException {
        StoredObjects.announce(
                handle.objects(),
                paths,
                new UnitDescriptor(UNIT, UNIT, handle.metastore().clockMs(), List.of(prefix)));
    }

    @Test
    void indexesAndGraphsOfNoVersionAreLeftUnlessTheyAreBeingBuilt() throws IOException {
        String index = paths.lanceIndex("0d6f8a3e-0000-4000-8000-000000000000");
        String hot = paths.hotArtifact("v", 3, UNIT);
        handle.objects().put(index + "index.idx", new byte[] {1});
        handle.objects().put(index + "auxiliary.idx", new byte[] {1});
        handle.objects().put(hot + "files/of.000000", Zstd.compress(new byte[] {1}));
        assertThat(look(List.of()).found())
                .containsExactlyInAnyOrder(
                        new Leftover(index, StrayArtifacts.LEFT),
                        new Leftover(hot, StrayArtifacts.LEFT));
        announce(index);
        assertThat(look(List.of()).found()).containsExactly(new Leftover(hot, StrayArtifacts.LEFT));
    }

    @Test
    void whatCannotBeReadIsLeft() throws IOException {
        handle.objects().put(paths.pkDelta(3, UNIT), new byte[] {1, 2, 3});
        assertThat(look(List.of()).found())
                .singleElement()
                .satisfies(left -> assertThat(left.what()).startsWith("it cannot be read: "));
    }

    @Test
    void aSequenceAcrossPiecesOfALargeObjectIsFound() throws IOException {
        byte[] text = TEXT.getBytes(StandardCharsets.UTF_8);
        int piece = 8 << 20;
        for (int at : new int[] {piece - text.length, piece - 10, piece, 2 * piece - 1}) {
            byte[] object = new byte[2 * piece + 100];
            System.arraycopy(text, 0, object, at, text.length);
            requireFound(
                    paths.root() + "large", object, "a sequence of 22 bytes of an erased document");
        }
    }

    @Test
    void whatLiveDocumentsHaveAsWellIsNotLookedFor() throws IOException {
        handle.objects().put(paths.root() + "note", TEXT.getBytes(StandardCharsets.UTF_8));
        assertThat(look(List.of()).sequences()).isEqualTo(1);
        collection.upsert(6, "{\"n\":6,\"s\":\"he says " + TEXT + "\"}");
        try (var committer =
                new io.loam.store.commit.LinkApplyCommitter(
                        handle, io.loam.store.commit.CommitterOptions.of("w"))) {
            committer.commit(collection.writer().checkpoint(1), false);
        }
        Leftovers left = look(List.of());
        assertThat(left.sequences()).isZero();
        assertThat(left.found()).isEmpty();
    }

    @Test
    void othersKeysAreNotTaken() throws IOException {
        PkDelta others =
                PkDelta.of(
                        List.of(
                                new PkDelta.Entry(PrimaryKey.ofU64(6), 1L),
                                new PkDelta.Entry(PrimaryKey.ofString("5"), 2L)));
        handle.objects().put(paths.pkDelta(3, UNIT), PkDeltaCodec.encode(others));
        assertThat(look(List.of()).found()).isEmpty();
        assertThat(look(List.of(KEY)).found()).isEmpty();
    }

    @Test
    void needlesAreFoundWhereverTheyStand() {
        List<byte[]> sequences = new ArrayList<>();
        for (String text :
                List.of("abcdefgh", "abcdefghi", "12345678 long", "short", "aaaaaaaaaa")) {
            sequences.add(text.getBytes(StandardCharsets.UTF_8));
        }
        ByteNeedles needles = new ByteNeedles(sequences);
        assertThat(needles.count()).isEqualTo(3);
        List<String> found = new ArrayList<>();
        needles.find(
                "12345678 long,abcdefghi,abcdefg,aaaaaaaaaa,abcdefgh"
                        .getBytes(StandardCharsets.UTF_8),
                needle -> found.add(new String(needle, StandardCharsets.UTF_8)));
        assertThat(found)
                .containsExactlyInAnyOrder("12345678 long", "abcdefgh", "abcdefghi", "abcdefgh");
    }
}
