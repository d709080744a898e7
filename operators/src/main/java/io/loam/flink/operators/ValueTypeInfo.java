package io.loam.flink.operators;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Type information of a value with a serializer of its own, so that Kryo never sees it. */
@Internal
public final class ValueTypeInfo<T> extends TypeInformation<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final ValueSerializer<T> serializer;
    private final boolean key;

    public ValueTypeInfo(Class<T> type, ValueSerializer<T> serializer, boolean key) {
        this.type = type;
        this.serializer = serializer;
        this.key = key;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return type;
    }

    @Override
    public boolean isKeyType() {
        return key;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer;
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ValueTypeInfo && type == ((ValueTypeInfo<?>) other).type;
    }

    @Override
    public int hashCode() {
        return type.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ValueTypeInfo;
    }
}
