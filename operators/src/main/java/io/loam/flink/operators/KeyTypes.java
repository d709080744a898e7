package io.loam.flink.operators;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import java.io.IOException;

/** Primary keys as Flink keys: their canonical bytes, whose hash is the same in every JVM. */
@Internal
public final class KeyTypes {
    public static final TypeInformation<PrimaryKey> KEY =
            new ValueTypeInfo<>(PrimaryKey.class, KeySerializer.INSTANCE, true);

    private KeyTypes() {}

    /** The canonical bytes with their length. */
    static final class KeySerializer extends ValueSerializer<PrimaryKey> {
        static final KeySerializer INSTANCE = new KeySerializer();
        private static final long serialVersionUID = 1L;

        @Override
        public PrimaryKey createInstance() {
            return PrimaryKey.ofU64(0);
        }

        @Override
        public void serialize(PrimaryKey key, DataOutputView out) throws IOException {
            Bytes.write(out, key.canonical());
        }

        @Override
        public PrimaryKey deserialize(DataInputView in) throws IOException {
            try {
                return PrimaryKey.parseCanonical(Bytes.read(in));
            } catch (InvalidKeyException e) {
                throw new IOException("not a key: " + e.getMessage(), e);
            }
        }

        @Override
        public Snapshot snapshotConfiguration() {
            return new Snapshot();
        }

        /** Snapshot of this serializer. */
        public static final class Snapshot extends ValueSerializerSnapshot<PrimaryKey> {
            public Snapshot() {
                super(() -> INSTANCE);
            }
        }
    }
}
