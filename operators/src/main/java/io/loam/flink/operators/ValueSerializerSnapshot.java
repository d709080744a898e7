package io.loam.flink.operators;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import java.io.IOException;
import java.util.function.Supplier;

/** Snapshot of a {@link ValueSerializer}: nothing but the version of its layout, from 1. */
abstract class ValueSerializerSnapshot<T> implements TypeSerializerSnapshot<T> {
    private static final int VERSION = 1;

    private final Supplier<? extends TypeSerializer<T>> serializer;

    ValueSerializerSnapshot(Supplier<? extends TypeSerializer<T>> serializer) {
        this.serializer = serializer;
    }

    @Override
    public int getCurrentVersion() {
        return VERSION;
    }

    @Override
    public void writeSnapshot(DataOutputView out) {}

    @Override
    public void readSnapshot(int readVersion, DataInputView in, ClassLoader userCodeClassLoader)
            throws IOException {
        if (readVersion != VERSION) {
            throw new IOException(
                    "state was written by version "
                            + readVersion
                            + " of "
                            + serializer.get().getClass().getSimpleName()
                            + ", this build reads version "
                            + VERSION);
        }
    }

    @Override
    public TypeSerializer<T> restoreSerializer() {
        return serializer.get();
    }

    @Override
    public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
            TypeSerializerSnapshot<T> oldSnapshot) {
        return oldSnapshot.getClass() == getClass()
                ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                : TypeSerializerSchemaCompatibility.incompatible();
    }
}
