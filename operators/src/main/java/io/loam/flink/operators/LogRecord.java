package io.loam.flink.operators;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import javax.annotation.Nullable;

import java.io.IOException;

/** A record as the log holds it. Offsets ascend within a partition. */
@Internal
public record LogRecord(int partition, long offset, @Nullable byte[] key, @Nullable byte[] value) {

    public static final TypeInformation<LogRecord> TYPE =
            new ValueTypeInfo<>(LogRecord.class, Serializer.INSTANCE, false);

    /** partition int | offset long | key | value, each with a length, -1 for null. */
    static final class Serializer extends ValueSerializer<LogRecord> {
        static final Serializer INSTANCE = new Serializer();
        private static final long serialVersionUID = 1L;

        @Override
        public LogRecord createInstance() {
            return new LogRecord(0, 0, null, null);
        }

        @Override
        public void serialize(LogRecord record, DataOutputView out) throws IOException {
            out.writeInt(record.partition);
            out.writeLong(record.offset);
            Bytes.write(out, record.key);
            Bytes.write(out, record.value);
        }

        @Override
        public LogRecord deserialize(DataInputView in) throws IOException {
            return new LogRecord(
                    in.readInt(), in.readLong(), Bytes.readNullable(in), Bytes.readNullable(in));
        }

        @Override
        public Snapshot snapshotConfiguration() {
            return new Snapshot();
        }

        /** Snapshot of this serializer. */
        public static final class Snapshot extends ValueSerializerSnapshot<LogRecord> {
            public Snapshot() {
                super(() -> INSTANCE);
            }
        }
    }
}
