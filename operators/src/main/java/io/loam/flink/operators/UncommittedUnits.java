package io.loam.flink.operators;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The units whose rows no manifest is known to hold yet. Every subtask knows all that were in the
 * restored snapshot, since keys may have moved; only one of them snapshots those again. A unit
 * leaves the list once a manifest's high water passes it.
 */
final class UncommittedUnits {
    private final TreeMap<Long, UncommittedUnit> byFirstRow = new TreeMap<>(Long::compareUnsigned);
    private final Set<UncommittedUnit> own = new LinkedHashSet<>();

    /** Starts from the entries of all subtasks; the same one may occur more than once. */
    static UncommittedUnits restored(Iterable<UncommittedUnit> entries) {
        UncommittedUnits units = new UncommittedUnits();
        entries.forEach(unit -> units.byFirstRow.put(unit.firstRowId(), unit));
        return units;
    }

    void add(UncommittedUnit unit) {
        byFirstRow.put(unit.firstRowId(), unit);
        own.add(unit);
    }

    Optional<UncommittedUnit> find(long rowId) {
        Map.Entry<Long, UncommittedUnit> entry = byFirstRow.floorEntry(rowId);
        return entry != null && entry.getValue().holds(rowId)
                ? Optional.of(entry.getValue())
                : Optional.empty();
    }

    /** Forgets units that lie below a published high water. */
    void dropBelow(long highWater) {
        byFirstRow.values().removeIf(unit -> unit.isBelow(highWater));
        own.removeIf(unit -> unit.isBelow(highWater));
    }

    void clear() {
        byFirstRow.clear();
        own.clear();
    }

    int size() {
        return byFirstRow.size();
    }

    /** Own units, and those inherited from the restored snapshot if this subtask keeps them. */
    List<UncommittedUnit> snapshot(boolean withInherited) {
        return new ArrayList<>(withInherited ? byFirstRow.values() : own);
    }
}
