package io.loam.codec.staged;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.util.ArrayList;
import java.util.List;

/**
 * Staged units as they travel between operators and rest in their state. In postcard:
 *
 * <pre>
 * version          u8, 1
 * unit             16 bytes, ULID
 * created at       u64 ms
 * schema version   u64
 * row ids          u64 base, first, count
 * data file        string name; u64 bytes
 * columns          count; string name, u32 dimension
 * split            option split
 * key list         u64 changes, bytes
 * dead letters     u64 letters, bytes
 *
 * split: 16 bytes ULID; u64 documents, deleted, size, footer start, footer end;
 *        count, ranges u64 start, u64 length; string delete bitmap;
 *        u64 schema version, created at; u32 merges, footer crc32c
 * </pre>
 */
public final class StagedUnitCodec {
    /** Version that is written, and the only one that is read. */
    public static final int VERSION = 1;

    private static final String WHERE = "staged unit";
    private static final int ULID_BYTES = 16;
    private static final int MIN_COLUMN_BYTES = 2;
    private static final int MIN_RANGE_BYTES = 2;

    private StagedUnitCodec() {}

    public static byte[] encode(StagedUnit unit) {
        PostcardWriter out = new PostcardWriter();
        out.u8(VERSION);
        out.raw(unit.unit().toBytes());
        out.u64(unit.createdAtMs());
        out.u64(unit.schemaVersion());
        out.u64(unit.rowIdBase());
        out.u64(unit.firstRowId());
        out.u64(unit.rowCount());
        out.string(unit.dataFile());
        out.u64(unit.dataFileBytes());
        out.size(unit.columns().size());
        for (UnitColumn column : unit.columns()) {
            out.string(column.column());
            out.u32(column.dimension());
        }
        out.bool(unit.split() != null);
        if (unit.split() != null) {
            writeSplit(out, unit.split());
        }
        out.u64(unit.keyChanges());
        out.u64(unit.keyListBytes());
        out.u64(unit.deadLetters());
        out.u64(unit.deadLetterBytes());
        return out.toByteArray();
    }

    /**
     * Reads a unit.
     *
     * @throws CorruptException if the bytes are damaged or of another version
     */
    public static StagedUnit decode(byte[] bytes) {
        try {
            PostcardReader in = new PostcardReader(bytes);
            int version = in.u8();
            if (version != VERSION) {
                throw new CorruptException(
                        WHERE + ": unknown version " + version + ", expected " + VERSION);
            }
            StagedUnit unit =
                    new StagedUnit(
                            readUlid(in),
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            in.string(),
                            in.u64(),
                            readColumns(in),
                            in.option() ? readSplit(in) : null,
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            in.u64());
            in.expectEnd();
            return unit;
        } catch (PostcardException e) {
            throw new CorruptException(WHERE + ": " + e.getMessage(), e);
        }
    }

    private static void writeSplit(PostcardWriter out, SplitRef split) {
        out.raw(split.ulid().toBytes());
        out.u64(split.docCount());
        out.u64(split.deletedCount());
        out.u64(split.sizeBytes());
        out.u64(split.footerStart());
        out.u64(split.footerEnd());
        out.size(split.ranges().size());
        for (RowIdRange range : split.ranges()) {
            out.u64(range.start());
            out.u64(range.length());
        }
        out.string(split.deleteBitmap());
        out.u64(split.schemaVersion());
        out.u64(split.createdAtMs());
        out.u32(split.mergeOps());
        out.u32(split.footerCrc32c());
    }

    private static SplitRef readSplit(PostcardReader in) {
        return new SplitRef(
                readUlid(in),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                readRanges(in),
                in.string(),
                in.u64(),
                in.u64(),
                in.u32(),
                in.u32());
    }

    private static List<RowIdRange> readRanges(PostcardReader in) {
        int count = in.count(MIN_RANGE_BYTES);
        List<RowIdRange> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long start = in.u64();
            ranges.add(new RowIdRange(start, start + in.u64()));
        }
        return ranges;
    }

    private static List<UnitColumn> readColumns(PostcardReader in) {
        int count = in.count(MIN_COLUMN_BYTES);
        List<UnitColumn> columns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            columns.add(new UnitColumn(in.string(), in.u32()));
        }
        return columns;
    }

    private static Ulid readUlid(PostcardReader in) {
        return Ulid.fromBytes(in.raw(ULID_BYTES));
    }
}
