package io.loam.flink.connector.source;

import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Splits as they stand in checkpoints: version u64, part u32, parts u32, emitted rows u64,
 * big-endian.
 */
final class SplitCodec implements SimpleVersionedSerializer<CollectionSplit> {
    private static final int VERSION = 1;
    static final int BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(CollectionSplit split) {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        write(split, out);
        return out.array();
    }

    static void write(CollectionSplit split, ByteBuffer out) {
        out.putLong(split.version())
                .putInt(split.part())
                .putInt(split.parts())
                .putLong(split.emitted());
    }

    @Override
    public CollectionSplit deserialize(int version, byte[] bytes) throws IOException {
        if (version != VERSION || bytes.length != BYTES) {
            throw new IOException(
                    "a split of "
                            + bytes.length
                            + " bytes and format "
                            + version
                            + ", not "
                            + BYTES
                            + " bytes and format "
                            + VERSION);
        }
        return read(ByteBuffer.wrap(bytes));
    }

    static CollectionSplit read(ByteBuffer in) throws IOException {
        try {
            CollectionSplit split =
                    new CollectionSplit(in.getLong(), in.getInt(), in.getInt(), in.getLong());
            if (split.version() < 0
                    || split.part() < 0
                    || split.part() >= split.parts()
                    || split.emitted() < 0) {
                throw new IOException("no split can be " + split);
            }
            return split;
        } catch (BufferUnderflowException e) {
            throw new IOException("a split is cut off", e);
        }
    }
}
