package io.loam.bench.input;

import io.loam.bench.input.Entry.Kind;
import io.loam.codec.record.RecordCodec;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Iterator;

/**
 * Records in a file, mapped into memory, read by their number from any thread. Each is there twice:
 * in parts, for systems that want columns, and as the value of a record of a log.
 *
 * <pre>
 * record = u8 kind | u16 length | key | u32 length | json
 *          | u8 vectors | u16 dimension | f32 * | u32 length | value
 * file   = u32 records | u64 offset of each in the data file
 * </pre>
 */
public final class InputFile {
    private final MappedByteBuffer[] parts;
    private final long[] offsets;
    private static final long PART = 1L << 30;

    private InputFile(MappedByteBuffer[] parts, long[] offsets) {
        this.parts = parts;
        this.offsets = offsets;
    }

    /** Generates a file, unless it is there; its name tells what it holds. */
    public static Path generate(Path directory, InputSpec spec) throws IOException {
        Path data = directory.resolve("input-" + Integer.toHexString(spec.hashCode()) + ".data");
        if (!Files.exists(data)) {
            Generator generator = new Generator(spec);
            write(
                    data,
                    new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            return generator.hasNext();
                        }

                        @Override
                        public Entry next() {
                            return generator.next();
                        }
                    },
                    spec.records());
        }
        return data;
    }

    /** Writes entries to a file that appears when it is whole. */
    public static void write(Path data, Iterator<Entry> entries, int records) throws IOException {
        Path begun = data.resolveSibling(data.getFileName() + ".begun");
        ByteBuffer index = ByteBuffer.allocate(Integer.BYTES + Long.BYTES * records);
        index.putInt(records);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(begun), 1 << 20)) {
            long at = 0;
            for (int i = 0; i < records; i++) {
                byte[] record = bytes(entries.next());
                if (at / PART != (at + record.length) / PART) {
                    byte[] gap = new byte[(int) (PART - at % PART)];
                    out.write(gap);
                    at += gap.length;
                }
                index.putLong(at);
                out.write(record);
                at += record.length;
            }
        }
        Files.write(index(data), index.array());
        Files.move(begun, data, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Path index(Path data) {
        return data.resolveSibling(data.getFileName() + ".index");
    }

    private static byte[] bytes(Entry entry) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        DataOutputStream out = new DataOutputStream(bytes);
        byte[] key = entry.key().getBytes(StandardCharsets.UTF_8);
        out.writeByte(entry.kind().ordinal());
        out.writeShort(key.length);
        out.write(key);
        out.writeInt(entry.json().length);
        out.write(entry.json());
        out.writeByte(entry.vectors().length);
        out.writeShort(entry.vectors().length == 0 ? 0 : entry.vectors()[0].length);
        for (float[] vector : entry.vectors()) {
            for (float value : vector) {
                out.writeFloat(value);
            }
        }
        byte[] value = RecordCodec.encode(entry.operation());
        out.writeInt(value.length);
        out.write(value);
        return bytes.toByteArray();
    }

    public static InputFile open(Path data) throws IOException {
        ByteBuffer index = ByteBuffer.wrap(Files.readAllBytes(index(data)));
        long[] offsets = new long[index.getInt()];
        index.asLongBuffer().get(offsets);
        try (FileChannel channel = FileChannel.open(data)) {
            MappedByteBuffer[] parts =
                    new MappedByteBuffer[(int) ((channel.size() + PART - 1) / PART)];
            for (int i = 0; i < parts.length; i++) {
                long size = Math.min(PART, channel.size() - i * PART);
                parts[i] = channel.map(FileChannel.MapMode.READ_ONLY, i * PART, size);
            }
            return new InputFile(parts, offsets);
        }
    }

    public int records() {
        return offsets.length;
    }

    private ByteBuffer at(int record) {
        ByteBuffer part = parts[(int) (offsets[record] / PART)].duplicate();
        return part.position((int) (offsets[record] % PART));
    }

    /** Which of some partitions a record's key belongs to. */
    public int partition(int record, int partitions) {
        ByteBuffer in = at(record);
        in.get();
        int hash = 0;
        for (int left = in.getShort(); left > 0; left--) {
            hash = 31 * hash + in.get();
        }
        return Math.floorMod(hash * 0x9e3779b9 >>> 8, partitions);
    }

    /** A record in parts. */
    public Entry entry(int record) {
        ByteBuffer in = at(record);
        Kind kind = Kind.values()[in.get()];
        byte[] key = bytes(in, in.getShort());
        byte[] json = bytes(in, in.getInt());
        int vectors = in.get();
        int dimension = in.getShort();
        float[][] values = new float[vectors][dimension];
        for (float[] vector : values) {
            in.asFloatBuffer().get(vector);
            in.position(in.position() + dimension * Float.BYTES);
        }
        return new Entry(kind, new String(key, StandardCharsets.UTF_8), json, values);
    }

    /** The key and the value of the record of a log. */
    public LogEntry logEntry(int record) {
        ByteBuffer in = at(record);
        in.get();
        byte[] key = bytes(in, in.getShort());
        in.position(in.position() + Integer.BYTES + in.getInt(in.position()));
        int vectors = in.get();
        int dimension = in.getShort();
        in.position(in.position() + vectors * dimension * Float.BYTES);
        return new LogEntry(new String(key, StandardCharsets.UTF_8), bytes(in, in.getInt()));
    }

    /** What a log holds of a record. */
    public record LogEntry(String key, byte[] value) {}

    private static byte[] bytes(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
