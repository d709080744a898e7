package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.RoaringFormat;
import io.loam.codec.Ulid;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.proto.LanceManifestProto.Field;
import io.loam.codec.proto.LanceManifestProto.IndexMetadata;
import io.loam.codec.proto.LanceManifestProto.IndexSection;
import io.loam.codec.proto.LanceManifestProto.Manifest;
import io.loam.codec.proto.LanceManifestProto.Uuid;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

class FragmentReplacementTest {
    private static final UUID INDEX = new UUID(1, 2);
    private static final UUID SILENT = new UUID(3, 4);
    private static final int OURS_OR_THEIRS = 77;

    private final Map<String, byte[]> deletionFiles = new HashMap<>();

    @Test
    void rowsKeepTheirIdsAndWhatWasDeletedSinceIsDeletedFromTheStart() {
        LanceManifest built = start();
        CompactedFile file = file("c.lance", live(built));
        LanceManifest parent = deleted(built, -8, 11, 104);
        LanceManifest next = replaced(parent, List.of(1L, 2L), file);
        assertThat(next.fragments())
                .containsExactly(
                        new LanceFragment(
                                3,
                                16,
                                2,
                                List.of("data/c.lance"),
                                next.fragments().get(0).deletionFile()));
        assertThat(live(next)).containsExactly(live(parent));
        assertThat(next.locator().locate(104)).contains(new RowAddress(3, 11));
        assertThat(next.maxFragmentId()).isEqualTo(3);
        assertThat(next.nextRowId()).isEqualTo(110);
    }

    @Test
    void aFileWithoutALiveRowIsLeftOut() {
        LanceManifest built = start();
        CompactedFile file = file("c.lance", LongStream.of(live(built)).filter(r -> r < 50));
        LanceManifest parent = deleted(built, -8, 10, 11, 13, 14, 15, 17, 18);
        // One live row of fragment 1 is left.
        assertThat(deleted(parent, -7, 19).fragments()).hasSize(1);
        LanceManifest next = replaced(parent, List.of(1L), file);
        assertThat(live(next)).containsExactly(live(parent));
        CompactedFile dead = file("d.lance", LongStream.of(100, 101));
        assertThatThrownBy(() -> replaced(parent, List.of(2L), dead))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("have 8 live rows, the fragments in their place 2");
    }

    @Test
    void everyRowDeletedMeanwhileLeavesNothing() {
        LanceManifest built = start();
        CompactedFile one = file("c.lance", LongStream.of(live(built)).filter(r -> r < 15));
        CompactedFile rest = file("d.lance", LongStream.of(live(built)).filter(r -> r >= 15));
        LanceManifest parent = deleted(built, -8, 10, 11, 13, 14);
        LanceManifest next = replaced(parent, List.of(1L, 2L), one, rest);
        assertThat(next.fragments()).extracting(LanceFragment::id).containsExactly(4L);
        assertThat(next.fragments().get(0).deletionFile()).isNull();
        assertThat(live(next)).containsExactly(live(parent));
        assertThat(coverage(next, INDEX).toArray()).containsExactly(4);
        assertThat(next.maxFragmentId()).isEqualTo(4);
    }

    @Test
    void refusesRowsThatWereNeverThereThoseThatLackAndThoseThatAreTwice() {
        LanceManifest parent = start();
        long[] live = live(parent);
        for (LongStream rows :
                List.of(
                        LongStream.concat(LongStream.of(live), LongStream.of(300)),
                        LongStream.concat(LongStream.of(9), LongStream.of(live)))) {
            CompactedFile stranger = file("c.lance", rows);
            assertThatThrownBy(() -> replaced(parent, List.of(1L, 2L), stranger))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("is in none of the fragments [1, 2]");
        }
        CompactedFile less = file("c.lance", LongStream.of(live).skip(1));
        assertThatThrownBy(() -> replaced(parent, List.of(1L, 2L), less))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("have 16 live rows, the fragments in their place 15");
        CompactedFile all = file("c.lance", LongStream.of(live));
        assertThatThrownBy(
                        () ->
                                replaced(
                                        parent,
                                        List.of(1L, 2L),
                                        all,
                                        file("d.lance", LongStream.of(100))))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("two rows have the id 100");
        assertThatThrownBy(() -> replaced(parent, List.of(1L, 7L), all))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("not all of the fragments [1, 7] are there");
    }

    @Test
    void theIndexCoversTheNewFragmentInTheirPlaceAndNothingElseOfItChanges() throws Exception {
        LanceManifest parent = start();
        CompactedFile file = file("c.lance", LongStream.of(live(parent)));
        LanceManifest next = replaced(parent, List.of(1L, 2L), file);
        assertThat(next.indexIds()).containsExactly(INDEX, SILENT);
        assertThat(coverage(next, INDEX).toArray()).containsExactly(3);
        IndexMetadata before = IndexSection.parseFrom(parent.indexes().section()).getIndices(0);
        IndexMetadata after = IndexSection.parseFrom(next.indexes().section()).getIndices(0);
        assertThat(after.toBuilder().clearFragmentBitmap().build())
                .isEqualTo(before.toBuilder().clearFragmentBitmap().build());
        assertThat(after.getUnknownFields().hasField(OURS_OR_THEIRS)).isTrue();
    }

    @Test
    void aCoveredFragmentAndAnUncoveredOneDoNotBecomeOne() {
        LanceManifest parent =
                LanceManifest.parse(
                        start().edit(-9, deletionFiles::get)
                                .addFragment("b.lance", 9, List.of(), 200, 5)
                                .finish(205, 0)
                                .manifest(),
                        "parent");
        assertThat(parent.compactable())
                .extracting(c -> c.fragment().id(), c -> c.firstRowId(), c -> c.indexes())
                .containsExactly(
                        tuple(1L, 10L, Set.of(INDEX)),
                        tuple(2L, 100L, Set.of(INDEX)),
                        tuple(3L, 200L, Set.of()));
        CompactedFile file = file("c.lance", LongStream.of(live(parent)).filter(r -> r >= 100));
        assertThatThrownBy(() -> replaced(parent, List.of(2L, 3L), file))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("of index vec_0 covers 1 of the fragments [2, 3]");
        CompactedFile bare = file("c.lance", LongStream.of(live(parent)).filter(r -> r >= 200));
        assertThat(coverage(replaced(parent, List.of(3L), bare), INDEX).toArray())
                .containsExactly(1, 2);
    }

    @Test
    void rowsOfReplacedFragmentsAreDeletedInTheNewOnes() {
        LanceManifest parent = start();
        CompactedFile file = file("c.lance", LongStream.of(live(parent)));
        LanceManifestEdit edit =
                parent.edit(-3, deletionFiles::get)
                        .replaceFragments(List.of(1L, 2L), List.of(file))
                        .delete(new long[] {10});
        assertThatThrownBy(() -> edit.delete(new long[] {12}))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("row 12 is deleted already");
        LanceManifest next = LanceManifest.parse(finish(edit), "next");
        assertThat(live(next)).containsExactly(LongStream.of(live(parent)).skip(1).toArray());
    }

    @Test
    void rowIdsMayStandInAFileWhichIsLoadedWhenTheyAreAskedFor() {
        LanceManifest parent = start();
        CompactedFile inline = file("c.lance", LongStream.of(live(parent)));
        CRC32C crc = new CRC32C();
        crc.update(inline.rowIds());
        String name = DataFileName.ofRowIds(new Ulid(1, 2), (int) crc.getValue());
        CompactedFile file =
                new CompactedFile("c.lance", 9, List.of(), inline.rows(), inline.rowIds(), name);
        LanceManifest bare = replaced(parent, List.of(1L, 2L), file);
        assertThat(bare.rowIdFiles()).containsExactly(name);
        assertThat(bare.files()).contains(name);
        assertThat(bare.countLive()).isEqualTo(16);
        assertThatThrownBy(bare::locator)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("row ids in [" + name + "] are not loaded");
        LanceManifest next = bare.withRowIds(Map.of(name, inline.rowIds())::get);
        assertThat(live(next)).containsExactly(live(parent));
        assertThat(next.compactable().get(0).firstRowId()).isEqualTo(10);
        LanceManifest again = deleted(next, -6, 103).withRowIds(Map.of(name, inline.rowIds())::get);
        assertThat(again.rowIdFiles()).containsExactly(name);
        assertThat(live(again)).hasSize(15).doesNotContain(103);
    }

    @Test
    void aFileOfRowIdsThatIsAnotherOrGoneIsCorrupt() {
        LanceManifest parent = start();
        CompactedFile inline = file("c.lance", LongStream.of(live(parent)));
        String name = DataFileName.ofRowIds(new Ulid(1, 2), 77);
        LanceManifest bare =
                replaced(
                        parent,
                        List.of(1L, 2L),
                        new CompactedFile(
                                "c.lance", 9, List.of(), inline.rows(), inline.rowIds(), name));
        assertThatThrownBy(() -> bare.withRowIds(Map.of(name, inline.rowIds())::get))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(name + ": crc32c is");
        assertThatThrownBy(() -> bare.withRowIds(any -> null))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("row ids in " + name + " are not there");
        LanceManifest unnamed =
                replaced(
                        parent,
                        List.of(1L, 2L),
                        new CompactedFile(
                                "c.lance", 9, List.of(), inline.rows(), inline.rowIds(), "x"));
        assertThatThrownBy(() -> unnamed.withRowIds(any -> new byte[3]))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("x: has 3 bytes");
        assertThatThrownBy(() -> unnamed.withRowIds(any -> new byte[inline.rowIds().length]))
                .isInstanceOf(CorruptException.class);
    }

    /** Fragments 1 (ids 10 to 19) and 2 (100 to 109); 12, 16, 102 and 109 are deleted. */
    private LanceManifest start() {
        LanceManifest two =
                LanceManifest.parse(
                        base().edit(-2, deletionFiles::get)
                                .addFragment("a.lance", 9, List.of(), 10, 10)
                                .addFragment("b.lance", 9, List.of(), 100, 10)
                                .finish(110, 0)
                                .manifest(),
                        "parent");
        return deleted(two, -4, 12, 16, 102, 109);
    }

    private LanceManifest deleted(LanceManifest parent, long version, long... rowIds) {
        return LanceManifest.parse(
                finish(parent.edit(version, deletionFiles::get).delete(rowIds)), "parent");
    }

    private LanceManifest replaced(
            LanceManifest parent, List<Long> fragments, CompactedFile... files) {
        return LanceManifest.parse(
                finish(
                        parent.edit(-3, deletionFiles::get)
                                .replaceFragments(fragments, List.of(files))),
                "next");
    }

    private byte[] finish(LanceManifestEdit edit) {
        Edited edited = edit.finish(0, 0);
        edited.deletionFiles().forEach(put -> deletionFiles.put(put.path(), put.bytes()));
        return edited.manifest();
    }

    private static CompactedFile file(String name, LongStream rowIds) {
        long[] ids = rowIds.toArray();
        return new CompactedFile(
                name, 9, List.of(), ids.length, RowIdEncoder.encode(RowIdRuns.of(ids)), null);
    }

    private static CompactedFile file(String name, long[] rowIds) {
        return file(name, LongStream.of(rowIds));
    }

    private long[] live(LanceManifest manifest) {
        Map<Long, RoaringBitmap> deleted = new HashMap<>();
        for (LanceFragment fragment : manifest.fragments()) {
            if (fragment.deletionFile() != null) {
                deleted.put(
                        fragment.id(),
                        LanceDeletions.decode(
                                deletionFiles.get(fragment.deletionFile()),
                                fragment.deletedRows(),
                                fragment.physicalRows(),
                                "d"));
            }
        }
        return LongStream.range(0, 400)
                .filter(
                        id ->
                                manifest.locator()
                                        .locate(id)
                                        .filter(
                                                row ->
                                                        !deleted.getOrDefault(
                                                                        row.fragmentId(),
                                                                        new RoaringBitmap())
                                                                .contains((int) row.offset()))
                                        .isPresent())
                .toArray();
    }

    private static RoaringBitmap coverage(LanceManifest manifest, UUID index) {
        RoaringBitmap covered = new RoaringBitmap();
        for (int fragment = 0; fragment < 100; fragment++) {
            if (manifest.indexes().covering(fragment).contains(index)) {
                covered.add(fragment);
            }
        }
        return covered;
    }

    private static LanceManifest base() {
        Manifest.Builder manifest =
                Manifest.newBuilder()
                        .setVersion(1)
                        .setReaderFeatureFlags(2)
                        .setWriterFeatureFlags(2)
                        .setIndexSection(0);
        int id = 0;
        for (String name : List.of("_pk", "_source", "_ingest_partition", "_ingest_offset")) {
            manifest.addFields(
                    Field.newBuilder()
                            .setName(name)
                            .setId(id++)
                            .setParentId(-1)
                            .setLogicalType("binary"));
        }
        byte[] index =
                IndexSection.newBuilder()
                        .addIndices(
                                index(INDEX)
                                        .setFragmentBitmap(
                                                ByteString.copyFrom(
                                                        RoaringFormat.encode(
                                                                RoaringBitmap.bitmapOf(1, 2)))))
                        .addIndices(index(SILENT))
                        .build()
                        .toByteArray();
        byte[] body = manifest.build().toByteArray();
        ByteBuffer out =
                ByteBuffer.allocate(4 + index.length + 4 + body.length + 16)
                        .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(index.length).put(index);
        out.putInt(body.length).put(body).putLong(4 + index.length);
        out.putShort((short) 0).putShort((short) 2).putInt(0x434e414c);
        return LanceManifest.parse(Arrays.copyOf(out.array(), out.capacity()), "base");
    }

    private static IndexMetadata.Builder index(UUID id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return IndexMetadata.newBuilder()
                .setUuid(Uuid.newBuilder().setUuid(ByteString.copyFrom(bytes.array())))
                .setName("vec_0")
                .setUnknownFields(
                        UnknownFieldSet.newBuilder()
                                .addField(
                                        OURS_OR_THEIRS,
                                        UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                                .build());
    }
}
