package io.loam.flink.operators;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import java.io.IOException;

/** State of the decoder: the next offset of a partition that no progress marker covers yet. */
record PartitionOffset(int partition, long next) {

    static final TypeInformation<PartitionOffset> TYPE =
            new ValueTypeInfo<>(PartitionOffset.class, Serializer.INSTANCE, false);

    /** partition int | next long. */
    static final class Serializer extends ValueSerializer<PartitionOffset> {
        static final Serializer INSTANCE = new Serializer();
        private static final long serialVersionUID = 1L;

        @Override
        public PartitionOffset createInstance() {
            return new PartitionOffset(0, 0);
        }

        @Override
        public void serialize(PartitionOffset value, DataOutputView out) throws IOException {
            out.writeInt(value.partition);
            out.writeLong(value.next);
        }

        @Override
        public PartitionOffset deserialize(DataInputView in) throws IOException {
            return new PartitionOffset(in.readInt(), in.readLong());
        }

        @Override
        public Snapshot snapshotConfiguration() {
            return new Snapshot();
        }

        /** Snapshot of this serializer. */
        public static final class Snapshot extends ValueSerializerSnapshot<PartitionOffset> {
            public Snapshot() {
                super(() -> INSTANCE);
            }
        }
    }
}
