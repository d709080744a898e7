package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.manifest.Seeds;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.ExternalFile;
import io.loam.codec.proto.LanceManifestProto.Field;
import io.loam.codec.proto.LanceManifestProto.IndexMetadata;
import io.loam.codec.proto.LanceManifestProto.IndexSection;
import io.loam.codec.proto.LanceManifestProto.Manifest;
import io.loam.codec.proto.LanceManifestProto.Uuid;
import io.loam.codec.staged.UnitColumn;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LanceManifestTest {
    private static final UUID INDEX = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final int DAMAGED = 20_000;

    private final Map<String, byte[]> deletionFiles = new HashMap<>();

    @Test
    void keepsIndexSectionAndLeavesTransactionSectionOut() throws Exception {
        LanceManifest parent = parse(base().setTransactionFile("gone.txn"));
        Edited edited = parent.edit(-5, deletionFiles::get).finish(0, 1234);
        LanceManifest next = LanceManifest.parse(edited.manifest(), "next");
        assertThat(next.version()).isEqualTo(-5);
        assertThat(next.indexIds()).containsExactly(INDEX);
        assertThat(next.files()).contains("_indices/" + INDEX + "/");
        Manifest message = body(edited.manifest());
        assertThat(message.getTransactionFile()).isEmpty();
        assertThat(message.hasTransactionSection()).isFalse();
        assertThat(message.getTimestamp().getSeconds()).isEqualTo(1);
    }

    @Test
    void appendsDenseThenSparseColumnsAfterTheLargestFieldId() throws Exception {
        List<UnitColumn> columns =
                List.of(new UnitColumn("_sparse_0", 0), new UnitColumn("_vector_0", 8));
        Edited edited =
                parse(base())
                        .edit(-5, deletionFiles::get)
                        .ensureColumns(columns)
                        .addFragment("a.lance", 99, columns, 40, 3)
                        .finish(43, 0);
        Manifest message = body(edited.manifest());
        assertThat(message.getFieldsList().stream().map(f -> f.getId() + f.getName()))
                .endsWith("4_vector_0", "5_sparse_0", "6indices", "7item", "8values", "9item");
        DataFragment fragment = DataFragment.parseFrom(edited.addedFragments().get(0));
        assertThat(fragment.getFiles(0).getFieldsList()).containsExactly(0, 1, 2, 3, 7, 9, 4);
        assertThat(fragment.getFiles(0).getColumnIndicesList())
                .containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(fragment.getFiles(0).getFileMajorVersion()).isEqualTo(2);
        assertThat(fragment.getFiles(0).getFileMinorVersion()).isEqualTo(1);
    }

    @Test
    void extendsDeletionsAndDropsFragmentsWithoutLiveRows() {
        LanceManifest first = next(parse(base()).edit(-9, deletionFiles::get), 10, 4);
        assertThat(first.locator().locate(12)).contains(new RowAddress(1, 2));
        LanceManifest second = deleted(first, -8, 12);
        assertThat(second.countLive()).isEqualTo(3);
        LanceManifest third = deleted(second, -7, 10, 13);
        assertThat(third.fragments().get(0).deletedRows()).isEqualTo(3);
        LanceManifest fourth = deleted(third, -6, 11);
        assertThat(fourth.fragments()).isEmpty();
        assertThat(fourth.maxFragmentId()).isEqualTo(1);
        assertThat(fourth.nextRowId()).isEqualTo(14);
        assertThatThrownBy(() -> deleted(fourth, -5, 11))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("no row has the id 11");
    }

    @Test
    void numbersFragmentsAboveThoseThatAreThere() {
        DataFragment.Builder far =
                DataFragment.newBuilder()
                        .setId(70)
                        .setPhysicalRows(1)
                        .setInlineRowIds(RowIdSequence.range(0, 1));
        LanceManifest next =
                next(parse(base().addFragments(far)).edit(-1, deletionFiles::get), 10, 1);
        assertThat(next.fragments()).extracting(LanceFragment::id).containsExactly(70L, 71L);
    }

    @Test
    void refusesWhatItCouldNotKeep() {
        DataFragment.Builder fragment =
                DataFragment.newBuilder()
                        .setPhysicalRows(1)
                        .setInlineRowIds(RowIdSequence.range(5, 1));
        ByteString some = ByteString.copyFromUtf8("x");
        assertCorrupt(base().setReaderFeatureFlags(2 | 64), "unknown Lance feature flags 66");
        assertCorrupt(base().setWriterFeatureFlags(16 | 2), "unknown Lance feature flags");
        assertCorrupt(
                base().setReaderFeatureFlags(0).setWriterFeatureFlags(0), "no stable row ids");
        assertCorrupt(base().addBasePaths(some), "base paths");
        assertCorrupt(
                base().addFragments(fragment.clone().setExternalRowIds(some)),
                "no file of row ids");
        assertCorrupt(
                base().addFragments(fragment.clone().setExternalRowIds(rowIdFile("data/x"))),
                "a file of row ids cannot have the name \"data/x\"");
        assertCorrupt(
                base().addFragments(fragment.clone().setExternalLastUpdatedVersions(some)),
                "of their own");
        assertCorrupt(base().addFragments(fragment).addFragments(fragment), "two fragments");
        assertCorrupt(
                base().addFragments(fragment).addFragments(fragment.clone().setId(1)),
                "two rows have the id 5");
        assertCorrupt(base().addFields(Field.newBuilder().setId(9).setParentId(8)), "out of place");
        assertCorrupt(
                base().addFields(
                                Field.newBuilder()
                                        .setName("x")
                                        .setId(9)
                                        .setParentId(-1)
                                        .setLogicalType("binarx")),
                "column x has the unknown type \"binarx\"");
        DataFragment.Builder elsewhere = fragment.clone();
        elsewhere.addFilesBuilder().setBaseId(0);
        assertCorrupt(base().addFragments(elsewhere), "another base path");
    }

    @Test
    void refusesArrowDeletionFilesOnlyWhenTheyMustGrow() {
        DataFragment.Builder fragment =
                DataFragment.newBuilder()
                        .setPhysicalRows(3)
                        .setInlineRowIds(RowIdSequence.range(5, 3));
        fragment.getDeletionFileBuilder().setFileType(0).setNumDeletedRows(1);
        LanceManifest manifest = parse(base().addFragments(fragment));
        assertThat(manifest.countLive()).isEqualTo(2);
        assertThatThrownBy(() -> deleted(manifest, -1, 5))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(".arrow: only Roaring");
    }

    @Test
    void damagedFilesAreCorruptAndNothingElse() {
        Random random = Seeds.random(LanceManifestTest.class);
        LanceManifestEdit edit =
                parse(base())
                        .edit(-9, deletionFiles::get)
                        .addFragment("a.lance", 9, List.of(), 10, 9);
        byte[] good = edit.delete(new long[] {11, 14}).finish(19, 0).manifest();
        for (int i = 0; i < DAMAGED; i++) {
            byte[] bad = damaged(good, random);
            try {
                LanceManifest manifest = LanceManifest.parse(bad, "bad").withRowIds(name -> null);
                manifest.indexIds();
                manifest.edit(-3, deletionFiles::get)
                        .ensureColumns(List.of(new UnitColumn("_vector_3", 4)))
                        .addFragment("f", 1, List.of(), 1L << 40, 2)
                        .delete(new long[] {1L << 40})
                        .finish(0, 0);
            } catch (CorruptException expected) {
                assertThat(expected).hasMessageContaining("bad");
            }
        }
    }

    @Test
    void deletionFilesMustAgreeWithTheManifest() {
        byte[] two = LanceDeletions.encode(RoaringBitmap.bitmapOf(1, 6));
        assertThat(LanceDeletions.decode(two, 2, 7, "d").toArray()).containsExactly(1, 6);
        assertThatThrownBy(() -> LanceDeletions.decode(two, 3, 7, "d"))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("2 deleted rows, the manifest says 3");
        assertThatThrownBy(() -> LanceDeletions.decode(two, 2, 6, "d"))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("beyond");
        for (int length = 0; length < two.length; length++) {
            byte[] cut = Arrays.copyOf(two, length);
            assertThatThrownBy(() -> LanceDeletions.decode(cut, 2, 7, "d"))
                    .isInstanceOf(CorruptException.class);
        }
    }

    @Test
    void anOffsetThatBecameAnotherIsNoticed() {
        byte[] file =
                parse(base())
                        .edit(-9, deletionFiles::get)
                        .addFragment("a.lance", 9, List.of(), 10, 9)
                        .delete(new long[] {11, 14})
                        .finish(19, 0)
                        .manifest();
        String path = "ns/1/collections/5/lance/_versions/d1.manifest";
        LanceManifest manifest = LanceManifest.parse(file, path);
        byte[] other = LanceDeletions.encode(RoaringBitmap.bitmapOf(1, 5));
        assertThat(LanceDeletions.decode(other, 2, 9, "d").toArray()).containsExactly(1, 5);
        assertThatThrownBy(() -> manifest.edit(-8, any -> other).delete(new long[] {12}))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("ns/1/collections/5/lance/_deletions/1-")
                .hasMessageContaining("crc32c is");
    }

    @Test
    void newFragmentsTakeFreeIdsOnly() {
        LanceManifest first = next(parse(base()).edit(-9, deletionFiles::get), 10, 4);
        for (long taken : new long[] {7, 9, 10, 13}) {
            assertThatThrownBy(
                            () ->
                                    first.edit(-8, deletionFiles::get)
                                            .addFragment("b.lance", 9, List.of(), taken, 4))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("rows " + taken + " and 3 more have ids that are taken");
        }
        LanceManifestEdit edit =
                first.edit(-8, deletionFiles::get)
                        .addFragment("b.lance", 9, List.of(), 6, 4)
                        .addFragment("c.lance", 9, List.of(), 14, 4);
        assertThatThrownBy(() -> edit.addFragment("d.lance", 9, List.of(), 17, 1))
                .isInstanceOf(CorruptException.class);
        assertThat(edit.addFragment("d.lance", 9, List.of(), -1, 1).finish(0, 0).addedFragments())
                .hasSize(3);
    }

    @Test
    void aRowVersionsChecksumHoldsForThatVersionOnly() {
        byte[] file = {1, 2, 3};
        String checksum = LanceChecksum.of(-2, file);
        assertThat(checksum).isEqualTo("18446744073709551614:f130f21e");
        LanceChecksum.check(checksum, -2, file, "p");
        LanceChecksum.check(null, -2, file, "p");
        LanceChecksum.check(checksum, 7, new byte[] {9}, "p");
        assertThatThrownBy(() -> LanceChecksum.check(checksum, -2, new byte[] {1, 2, 2}, "p"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("p: version and crc32c of the file are 184467")
                .hasMessageEndingWith("expected " + checksum);
    }

    private static ByteString rowIdFile(String name) {
        return ExternalFile.newBuilder().setPath(name).build().toByteString();
    }

    private static byte[] damaged(byte[] good, Random random) {
        byte[] bad = good.clone();
        switch (random.nextInt(3)) {
            case 0:
                return Arrays.copyOf(bad, random.nextInt(bad.length));
            case 1:
                random.nextBytes(bad);
                return bad;
            default:
                for (int n = random.nextInt(4); n >= 0; n--) {
                    bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                }
                return bad;
        }
    }

    private LanceManifest next(LanceManifestEdit edit, long firstRowId, long rows) {
        Edited edited =
                edit.addFragment("a.lance", 9, List.of(), firstRowId, rows)
                        .finish(firstRowId + rows, 0);
        return LanceManifest.parse(edited.manifest(), "next");
    }

    private LanceManifest deleted(LanceManifest parent, long version, long... rowIds) {
        Edited edited = parent.edit(version, deletionFiles::get).delete(rowIds).finish(0, 0);
        edited.deletionFiles().forEach(put -> deletionFiles.put(put.path(), put.bytes()));
        return LanceManifest.parse(edited.manifest(), "deleted");
    }

    private static void assertCorrupt(Manifest.Builder manifest, String message) {
        assertThatThrownBy(() -> parse(manifest))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(message);
    }

    private static Manifest.Builder base() {
        Manifest.Builder manifest =
                Manifest.newBuilder()
                        .setVersion(1)
                        .setReaderFeatureFlags(2)
                        .setWriterFeatureFlags(2)
                        .setIndexSection(0)
                        .setTransactionSection(0);
        int id = 0;
        for (String name : List.of("_pk", "_source", "_ingest_partition", "_ingest_offset")) {
            manifest.addFields(
                    Field.newBuilder()
                            .setName(name)
                            .setId(id++)
                            .setParentId(-1)
                            .setLogicalType("binary"));
        }
        return manifest;
    }

    private static LanceManifest parse(Manifest.Builder manifest) {
        return LanceManifest.parse(file(manifest), "parent");
    }

    private static byte[] file(Manifest.Builder manifest) {
        ByteBuffer uuid = ByteBuffer.allocate(16);
        uuid.putLong(INDEX.getMostSignificantBits()).putLong(INDEX.getLeastSignificantBits());
        Uuid id = Uuid.newBuilder().setUuid(ByteString.copyFrom(uuid.array())).build();
        byte[] index =
                IndexSection.newBuilder()
                        .addIndices(IndexMetadata.newBuilder().setUuid(id))
                        .build()
                        .toByteArray();
        byte[] body = manifest.build().toByteArray();
        ByteBuffer out =
                ByteBuffer.allocate(4 + index.length + 4 + body.length + 16)
                        .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(index.length).put(index);
        out.putInt(body.length).put(body).putLong(4 + index.length);
        out.putShort((short) 0).putShort((short) 2).putInt(0x434e414c);
        return out.array();
    }

    private static Manifest body(byte[] file) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int position = (int) in.getLong(file.length - 16);
        int length = in.getInt(position);
        return Manifest.parseFrom(Arrays.copyOfRange(file, position + 4, position + 4 + length));
    }
}
