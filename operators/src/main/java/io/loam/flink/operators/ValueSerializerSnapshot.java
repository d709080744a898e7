package io.loam.flink.operators;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import java.io.IOException;
import java.util.function.Supplier;

/** Snapshot of a {@link ValueSerializer}: nothing but the version of its layout, from 1. */
@Internal
public abstract class ValueSerializerSnapshot<T> implements TypeSerializerSnapshot<T> {
    private final Supplier<? extends TypeSerializer<T>> serializer;
    private final int version;

    protected ValueSerializerSnapshot(Supplier<? extends TypeSerializer<T>> serializer) {
        this(serializer, 1);
    }

    protected ValueSerializerSnapshot(
            Supplier<? extends TypeSerializer<T>> serializer, int version) {
        this.serializer = serializer;
        this.version = version;
    }

    @Override
    public int getCurrentVersion() {
        return version;
    }

    @Override
    public void writeSnapshot(DataOutputView out) {}

    @Override
    public void readSnapshot(int readVersion, DataInputView in, ClassLoader userCodeClassLoader)
            throws IOException {
        if (readVersion != version) {
            throw new IOException(
                    "state was written by version "
                            + readVersion
                            + " of "
                            + serializer.get().getClass().getSimpleName()
                            + ", this build reads version "
                            + version
                            + "; start the job without state");
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
