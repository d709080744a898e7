package io.loam.flink.connector;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.StagedUnitCodec;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Version 1 of a committable in the committer's state:
 *
 * <pre>
 * commit id text | base text | incarnation 2 longs | checkpoint long | mode byte (0 stream, 1 direct)
 * writer text | job text | records long
 * number of units int | each: length int, staged unit
 * number of partitions int | each: partition int, from long, to long, skipped long
 *
 * text = length int, UTF-8
 * </pre>
 */
final class CommittableSerializer implements SimpleVersionedSerializer<CollectionCommittable> {
    private static final int VERSION = 1;
    private static final int INITIAL_BYTES = 1024;
    private static final int STREAM = 0;
    private static final int DIRECT = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(CollectionCommittable committable) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
        writeText(out, committable.commitId());
        writeText(out, committable.base());
        out.writeLong(committable.incarnation().high());
        out.writeLong(committable.incarnation().low());
        out.writeLong(committable.checkpoint());
        out.writeByte(committable.mode() == CommitMode.STREAM ? STREAM : DIRECT);
        writeText(out, committable.writer());
        writeText(out, committable.job());
        out.writeLong(committable.records());
        out.writeInt(committable.units().size());
        for (StagedUnit unit : committable.units()) {
            writeBytes(out, StagedUnitCodec.encode(unit));
        }
        writeProgress(out, committable.progress());
        return out.getCopyOfBuffer();
    }

    private static void writeProgress(DataOutputSerializer out, Map<Integer, OffsetRange> progress)
            throws IOException {
        out.writeInt(progress.size());
        for (Map.Entry<Integer, OffsetRange> entry : progress.entrySet()) {
            out.writeInt(entry.getKey());
            out.writeLong(entry.getValue().from());
            out.writeLong(entry.getValue().to());
            out.writeLong(entry.getValue().skipped());
        }
    }

    @Override
    public CollectionCommittable deserialize(int version, byte[] bytes) throws IOException {
        Versions.require("a committable", version, VERSION);
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        try {
            CollectionCommittable committable =
                    new CollectionCommittable(
                            readText(in),
                            readText(in),
                            new Ulid(in.readLong(), in.readLong()),
                            in.readLong(),
                            readMode(in),
                            readText(in),
                            readText(in),
                            in.readLong(),
                            readUnits(in),
                            readProgress(in));
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes follow a committable");
            }
            return committable;
        } catch (CorruptException e) {
            throw new IOException("not a committable: " + e.getMessage(), e);
        }
    }

    private static CommitMode readMode(DataInputDeserializer in) throws IOException {
        int mode = in.readUnsignedByte();
        if (mode > DIRECT) {
            throw new IOException("a committable of unknown mode " + mode);
        }
        return mode == STREAM ? CommitMode.STREAM : CommitMode.DIRECT;
    }

    private static List<StagedUnit> readUnits(DataInputDeserializer in) throws IOException {
        int count = readCount(in);
        List<StagedUnit> units = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            units.add(StagedUnitCodec.decode(readBytes(in)));
        }
        return units;
    }

    private static Map<Integer, OffsetRange> readProgress(DataInputDeserializer in)
            throws IOException {
        int count = readCount(in);
        Map<Integer, OffsetRange> progress = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            progress.put(
                    in.readInt(), new OffsetRange(in.readLong(), in.readLong(), in.readLong()));
        }
        return progress;
    }

    private static void writeText(DataOutputSerializer out, String text) throws IOException {
        writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String readText(DataInputDeserializer in) throws IOException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(readBytes(in)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException("a text of a committable is not UTF-8", e);
        }
    }

    private static void writeBytes(DataOutputSerializer out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputDeserializer in) throws IOException {
        byte[] bytes = new byte[readCount(in)];
        in.readFully(bytes);
        return bytes;
    }

    /** A count or a length is never more than the bytes that are left. */
    private static int readCount(DataInputDeserializer in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > in.available()) {
            throw new IOException(
                    "a committable promises " + count + ", with " + in.available() + " bytes left");
        }
        return count;
    }
}
