package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

import java.io.IOException;

/** Version 1 of what a sink writer hands on: an element's bytes as in the stream. */
final class ElementSerializer implements SimpleVersionedSerializer<CollectionElement> {
    private static final int VERSION = 1;
    private static final int INITIAL_BYTES = 256;

    private final TypeSerializer<CollectionElement> serializer =
            CollectionElement.TYPE.createSerializer(new SerializerConfigImpl());

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(CollectionElement element) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
        serializer.serialize(element, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public CollectionElement deserialize(int version, byte[] bytes) throws IOException {
        Versions.require("a sink element", version, VERSION);
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        CollectionElement element = serializer.deserialize(in);
        if (in.available() > 0) {
            throw new IOException(in.available() + " bytes follow a sink element");
        }
        return element;
    }
}
