package io.loam.flink.operators.maintain;

import io.loam.flink.operators.ValueSerializer;
import io.loam.flink.operators.ValueSerializerSnapshot;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.InstantiationUtil;

import java.io.IOException;
import java.io.Serializable;

/** Messages by Java serialization: there are few, and none outlives the build that wrote it. */
final class MessageSerializer<T extends Serializable> extends ValueSerializer<T> {
    private static final long serialVersionUID = 1L;

    /** There are no empty messages, and nobody asks for one unless objects are reused. */
    @Override
    public T createInstance() {
        return null;
    }

    @Override
    public void serialize(T message, DataOutputView out) throws IOException {
        byte[] bytes = InstantiationUtil.serializeObject(message);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    @Override
    public T deserialize(DataInputView in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        try {
            return InstantiationUtil.deserializeObject(
                    bytes, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IOException("a message of another build: " + e.getMessage(), e);
        }
    }

    @Override
    public Snapshot<T> snapshotConfiguration() {
        return new Snapshot<>();
    }

    /** Snapshot of this serializer. */
    public static final class Snapshot<T extends Serializable> extends ValueSerializerSnapshot<T> {
        public Snapshot() {
            super(MessageSerializer::new);
        }
    }
}
