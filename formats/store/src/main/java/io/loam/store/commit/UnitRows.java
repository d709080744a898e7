package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.StagedUnit;

import org.roaringbitmap.RoaringBitmap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A unit's rows and which of them are superseded within the unit's own checkpoint.
 *
 * @param deleted positions in the data file, which are the split's document ids
 */
record UnitRows(StagedUnit unit, RoaringBitmap deleted) {

    /** Whether no row of the unit is left. */
    boolean empty() {
        return deleted.getLongCardinality() == unit.rowCount();
    }

    long liveRows() {
        return unit.rowCount() - deleted.getLongCardinality();
    }

    /**
     * The units that hold rows, in ascending row id order.
     *
     * @param insertedRows rows that stay, ascending
     * @throws CorruptException if the units overlap, begin below {@code floor}, do not fit their
     *     splits, or do not hold every inserted row
     */
    static List<UnitRows> of(List<StagedUnit> units, long[] insertedRows, long floor) {
        List<StagedUnit> ordered =
                units.stream()
                        .filter(unit -> unit.rowCount() > 0)
                        .sorted(Comparator.comparing(StagedUnit::firstRowId, Long::compareUnsigned))
                        .toList();
        List<UnitRows> rows = new ArrayList<>();
        long previousEnd = floor;
        int next = 0;
        for (StagedUnit unit : ordered) {
            checkUnit(unit, previousEnd);
            previousEnd = unit.firstRowId() + unit.rowCount();
            RoaringBitmap live = new RoaringBitmap();
            while (next < insertedRows.length
                    && Long.compareUnsigned(insertedRows[next], previousEnd) < 0) {
                if (Long.compareUnsigned(insertedRows[next], unit.firstRowId()) < 0) {
                    throw unknownRow(insertedRows[next]);
                }
                live.add((int) (insertedRows[next++] - unit.firstRowId()));
            }
            RoaringBitmap deleted = RoaringBitmap.bitmapOfRange(0, unit.rowCount());
            deleted.andNot(live);
            rows.add(new UnitRows(unit, deleted));
        }
        if (next < insertedRows.length) {
            throw unknownRow(insertedRows[next]);
        }
        return rows;
    }

    private static void checkUnit(StagedUnit unit, long floor) {
        if (Long.compareUnsigned(unit.firstRowId(), floor) < 0) {
            throw new CorruptException(
                    "unit "
                            + unit.unit()
                            + " begins at row "
                            + Long.toUnsignedString(unit.firstRowId())
                            + ", but new rows must not be below "
                            + Long.toUnsignedString(floor));
        }
        SplitRef split = unit.split();
        RowIdRange all = new RowIdRange(unit.firstRowId(), unit.firstRowId() + unit.rowCount());
        if (split == null || !split.ranges().equals(List.of(all))) {
            throw new CorruptException(
                    "the split of unit "
                            + unit.unit()
                            + " must hold exactly the rows "
                            + all
                            + ", not "
                            + (split == null ? "nothing" : split.ranges()));
        }
    }

    private static CorruptException unknownRow(long row) {
        return new CorruptException(
                "staged key lists name row "
                        + Long.toUnsignedString(row)
                        + ", which no unit holds");
    }
}
