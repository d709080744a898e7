package io.loam.flink.operators;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import java.io.IOException;

/** Rows that are staged and perhaps not committed yet, and the data file that holds them. */
record UncommittedUnit(long firstRowId, long rowCount, String dataFile) {

    static final TypeInformation<UncommittedUnit> TYPE =
            new ValueTypeInfo<>(UncommittedUnit.class, Serializer.INSTANCE, false);

    boolean holds(long rowId) {
        return Long.compareUnsigned(rowId, firstRowId) >= 0
                && Long.compareUnsigned(rowId, endRowId()) < 0;
    }

    boolean isBelow(long highWater) {
        return Long.compareUnsigned(endRowId(), highWater) <= 0;
    }

    long endRowId() {
        return firstRowId + rowCount;
    }

    /** first row id long | row count long | data file text. */
    static final class Serializer extends ValueSerializer<UncommittedUnit> {
        static final Serializer INSTANCE = new Serializer();
        private static final long serialVersionUID = 1L;

        @Override
        public UncommittedUnit createInstance() {
            return new UncommittedUnit(0, 0, "");
        }

        @Override
        public void serialize(UncommittedUnit unit, DataOutputView out) throws IOException {
            out.writeLong(unit.firstRowId);
            out.writeLong(unit.rowCount);
            Bytes.writeText(out, unit.dataFile);
        }

        @Override
        public UncommittedUnit deserialize(DataInputView in) throws IOException {
            return new UncommittedUnit(in.readLong(), in.readLong(), Bytes.readText(in));
        }

        @Override
        public Snapshot snapshotConfiguration() {
            return new Snapshot();
        }

        /** Snapshot of this serializer. */
        public static final class Snapshot extends ValueSerializerSnapshot<UncommittedUnit> {
            public Snapshot() {
                super(() -> INSTANCE);
            }
        }
    }
}
