package io.loam.flink.connector.source;

import io.loam.flink.connector.source.CollectionSplit.Kind;

import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Splits as they stand in checkpoints: kind u8, version u64, number u64, parts u32, emitted rows
 * u64, big-endian.
 */
final class SplitCodec implements SimpleVersionedSerializer<CollectionSplit> {
    private static final int VERSION = 1;
    static final int BYTES = 1 + 3 * Long.BYTES + Integer.BYTES;

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
        out.put((byte) split.kind().ordinal())
                .putLong(split.version())
                .putLong(split.number())
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
            int kind = in.get();
            if (kind < 0 || kind >= Kind.values().length) {
                throw new IOException("no split is of kind " + kind);
            }
            CollectionSplit split =
                    new CollectionSplit(
                            Kind.values()[kind],
                            in.getLong(),
                            in.getLong(),
                            in.getInt(),
                            in.getLong());
            boolean parted =
                    split.isChanges() ? split.number() < split.parts() : split.parts() == 0;
            if (!parted || split.version() < 0 || split.number() < 0 || split.emitted() < 0) {
                throw new IOException("no split can be " + split);
            }
            return split;
        } catch (BufferUnderflowException e) {
            throw new IOException("a split is cut off", e);
        }
    }
}
