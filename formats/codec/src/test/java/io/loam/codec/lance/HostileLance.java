package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.proto.LanceManifestProto.DataFile;
import io.loam.codec.proto.LanceManifestProto.DataFragment;
import io.loam.codec.proto.LanceManifestProto.DeletionFile;
import io.loam.codec.proto.LanceManifestProto.EncodedU64Array;
import io.loam.codec.proto.LanceManifestProto.Manifest;
import io.loam.codec.proto.LanceManifestProto.U64Segment;
import io.loam.codec.staged.UnitColumn;
import io.loam.codec.testing.HostileDecoder;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Decoders of this package and samples for them. */
public final class HostileLance {
    private static final String PATH = "some/_versions/1.manifest";

    /** An index section with one index, as Lance writes it. */
    private static final byte[] INDEX =
            HexFormat.of().parseHex("0a140a120a10" + "0102030405060708090a0b0c0d0e0f10");

    private HostileLance() {}

    public static List<HostileDecoder<?>> decoders() {
        return List.of(
                HostileDecoder.of("Lance manifest", HostileLance::manifest, CorruptException.class)
                        .samples(manifests())
                        .frame(HostileLance::file)
                        .protobuf(),
                HostileDecoder.of(
                                "Lance manifest, next version",
                                HostileLance::edited,
                                CorruptException.class)
                        .samples(manifests())
                        .frame(HostileLance::file)
                        .protobuf(),
                HostileDecoder.of(
                                "Lance index section",
                                bytes -> LanceManifest.parse(bytes, PATH).indexIds(),
                                CorruptException.class)
                        .samples(List.of(INDEX))
                        .frame(index -> file(index, manifests().get(0)))
                        .protobuf(),
                HostileDecoder.of("Lance row ids", HostileLance::rowIds, CorruptException.class)
                        .samples(sequences())
                        .protobuf(),
                HostileDecoder.of(
                                "Lance deletion file",
                                HostileLance::deletions,
                                CorruptException.class)
                        .samples(deletionFiles()));
    }

    private static LanceManifest manifest(byte[] bytes) {
        LanceManifest manifest = LanceManifest.parse(bytes, PATH).withRowIds(name -> null);
        manifest.fragments();
        manifest.countLive();
        manifest.indexIds();
        manifest.locator().locate(manifest.nextRowId());
        return manifest;
    }

    private static LanceManifest edited(byte[] bytes) {
        LanceManifest manifest = manifest(bytes);
        List<UnitColumn> columns =
                List.of(new UnitColumn("_vector_0", 8), new UnitColumn("_sparse_0", 0));
        byte[] next =
                manifest.edit(-7, path -> LanceDeletions.encode(RoaringBitmap.bitmapOf(1)))
                        .ensureColumns(columns)
                        .addFragment("new.lance", 9, columns, 1L << 40, 3)
                        .delete(new long[] {2, 1L << 40})
                        .finish(1L << 41, 5)
                        .manifest();
        LanceManifest written = LanceManifest.parse(next, "next");
        if (written.countLive() != manifest.countLive() + 1) {
            throw new AssertionError("rows were lost");
        }
        return written;
    }

    /** The first two bytes are the number of rows. */
    private static Object rowIds(byte[] bytes) {
        if (bytes.length < 2) {
            throw new CorruptException("too short");
        }
        long rows = ByteBuffer.wrap(bytes).getShort() & 0xffff;
        return RowIdSequence.decode(ByteString.copyFrom(bytes, 2, bytes.length - 2), rows, PATH);
    }

    /** The first three bytes are the deleted rows and the end of the file's offsets. */
    private static RoaringBitmap deletions(byte[] bytes) {
        if (bytes.length < 3) {
            throw new CorruptException("too short");
        }
        long count = ByteBuffer.wrap(bytes).getShort() & 0xffff;
        return LanceDeletions.decode(
                Arrays.copyOfRange(bytes, 3, bytes.length), count, (bytes[2] & 0xffL) << 16, PATH);
    }

    private static List<byte[]> deletionFiles() {
        RoaringBitmap array = RoaringBitmap.bitmapOf(0, 7, 65_536);
        RoaringBitmap runs = RoaringBitmap.bitmapOfRange(5, 9_000);
        RoaringBitmap bits = new RoaringBitmap();
        for (int i = 0; i < 10_000; i += 2) {
            bits.add(i);
        }
        RoaringBitmap many = RoaringBitmap.bitmapOf(1, 1 << 16, 2 << 16, 3 << 16, 4 << 16);
        runs.runOptimize();
        return List.of(array, runs, bits, many).stream()
                .map(
                        bitmap -> {
                            byte[] encoded = LanceDeletions.encode(bitmap);
                            return ByteBuffer.allocate(3 + encoded.length)
                                    .putShort((short) bitmap.getCardinality())
                                    .put((byte) 8)
                                    .put(encoded)
                                    .array();
                        })
                .toList();
    }

    private static U64Segment.Builder range(long start, long end) {
        return U64Segment.newBuilder()
                .setRange(U64Segment.Range.newBuilder().setStart(start).setEnd(end));
    }

    private static EncodedU64Array.Builder ids(long base, String offsetsOfTwoBytes) {
        return EncodedU64Array.newBuilder()
                .setU16Array(
                        EncodedU64Array.Narrowed.newBuilder()
                                .setBase(base)
                                .setOffsets(hex(offsetsOfTwoBytes)));
    }

    private static ByteString hex(String hex) {
        return ByteString.copyFrom(HexFormat.of().parseHex(hex));
    }

    private static io.loam.codec.proto.LanceManifestProto.RowIdSequence sequence(
            U64Segment.Builder... segments) {
        io.loam.codec.proto.LanceManifestProto.RowIdSequence.Builder sequence =
                io.loam.codec.proto.LanceManifestProto.RowIdSequence.newBuilder();
        Arrays.stream(segments).forEach(sequence::addSegments);
        return sequence.build();
    }

    private static io.loam.codec.proto.LanceManifestProto.RowIdSequence everyKind() {
        return sequence(
                range(0, 5),
                U64Segment.newBuilder()
                        .setRangeWithHoles(
                                U64Segment.RangeWithHoles.newBuilder()
                                        .setStart(10)
                                        .setEnd(20)
                                        .setHoles(ids(10, "02000500"))),
                U64Segment.newBuilder()
                        .setRangeWithBitmap(
                                U64Segment.RangeWithBitmap.newBuilder()
                                        .setStart(30)
                                        .setEnd(46)
                                        .setBitmap(hex("0ff0"))),
                U64Segment.newBuilder().setSortedArray(ids(100, "000002000400")),
                U64Segment.newBuilder()
                        .setArray(
                                EncodedU64Array.newBuilder()
                                        .setU64Array(
                                                EncodedU64Array.Plain.newBuilder()
                                                        .setValues(
                                                                hex(
                                                                        "ff00000000000080"
                                                                                + "fe00000000000080")))),
                U64Segment.newBuilder()
                        .setArray(
                                EncodedU64Array.newBuilder()
                                        .setU32Array(
                                                EncodedU64Array.Narrowed.newBuilder()
                                                        .setBase(900)
                                                        .setOffsets(hex("0000010002000000")))));
    }

    private static final int ROWS_OF_EVERY_KIND = 5 + 8 + 8 + 3 + 2 + 2;

    private static List<byte[]> sequences() {
        return List.of(
                counted(ROWS_OF_EVERY_KIND, everyKind().toByteArray()),
                counted(60_000, sequence(range(7, 60_007)).toByteArray()),
                counted(0, new byte[0]));
    }

    private static byte[] counted(int rows, byte[] sequence) {
        return ByteBuffer.allocate(2 + sequence.length)
                .putShort((short) rows)
                .put(sequence)
                .array();
    }

    private static List<byte[]> manifests() {
        try {
            Manifest template = Manifest.parseFrom(resource("/lance/version-1.manifest"));
            Manifest rich =
                    template.toBuilder()
                            .setIndexSection(0)
                            .addFragments(fragment(1, 0, 100))
                            .addFragments(
                                    fragment(5, 1000, 90)
                                            .setDeletionFile(
                                                    DeletionFile.newBuilder()
                                                            .setFileType(1)
                                                            .setReadVersion(3)
                                                            .setId(4)
                                                            .setNumDeletedRows(1)))
                            .addFragments(
                                    fragment(6, 0, ROWS_OF_EVERY_KIND)
                                            .setInlineRowIds(
                                                    shifted(everyKind(), 5_000).toByteString()))
                            .setMaxFragmentId(6)
                            .setNextRowId(6_000)
                            .build();
            return List.of(
                    rich.toByteArray(),
                    template.toBuilder()
                            .addFragments(fragment(2, 0, 3))
                            .setNextRowId(3)
                            .build()
                            .toByteArray());
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Only the ranges move: enough to keep the ids of the sample apart. */
    private static io.loam.codec.proto.LanceManifestProto.RowIdSequence shifted(
            io.loam.codec.proto.LanceManifestProto.RowIdSequence sequence, long by) {
        io.loam.codec.proto.LanceManifestProto.RowIdSequence.Builder shifted = sequence.toBuilder();
        shifted.setSegments(0, range(by, by + 5));
        shifted.getSegmentsBuilder(1)
                .setRangeWithHoles(
                        U64Segment.RangeWithHoles.newBuilder()
                                .setStart(by + 10)
                                .setEnd(by + 20)
                                .setHoles(ids(by + 10, "02000500")));
        shifted.getSegmentsBuilder(2).getRangeWithBitmapBuilder().setStart(by + 30).setEnd(by + 46);
        shifted.setSegments(
                3, U64Segment.newBuilder().setSortedArray(ids(by + 100, "000002000400")));
        shifted.getSegmentsBuilder(5).getArrayBuilder().getU32ArrayBuilder().setBase(by + 900);
        return shifted.build();
    }

    private static DataFragment.Builder fragment(long id, long firstRow, long rows) {
        return DataFragment.newBuilder()
                .setId(id)
                .setPhysicalRows(rows)
                .setInlineRowIds(RowIdSequence.range(firstRow, rows))
                .addFiles(
                        DataFile.newBuilder()
                                .setPath("f" + id + ".lance")
                                .addAllFields(List.of(0, 1, 2, 3))
                                .addAllColumnIndices(List.of(0, 1, 2, 3))
                                .setFileMajorVersion(2)
                                .setFileMinorVersion(1)
                                .setFileSizeBytes(500));
    }

    /** The manifest section of a file. */
    private static byte[] resource(String name) {
        try (InputStream in = HostileLance.class.getResourceAsStream(name)) {
            byte[] file = in.readAllBytes();
            ByteBuffer buffer = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
            int at = (int) buffer.getLong(file.length - 16);
            return Arrays.copyOfRange(file, at + 4, at + 4 + buffer.getInt(at));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] file(byte[] manifest) {
        return file(INDEX, manifest);
    }

    private static byte[] file(byte[] index, byte[] manifest) {
        return ByteBuffer.allocate(4 + index.length + 4 + manifest.length + 16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(index.length)
                .put(index)
                .putInt(manifest.length)
                .put(manifest)
                .putLong(4 + index.length)
                .putShort((short) 0)
                .putShort((short) 2)
                .putInt(0x434e414c)
                .array();
    }
}
