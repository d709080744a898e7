package io.loam.flink.operators;

import io.loam.codec.Ulid;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Building blocks of the serializers: byte arrays, strings of any length, ULIDs. */
final class Bytes {
    private static final int NONE = -1;

    /** What is allocated on the word of a length; more only as fast as bytes arrive. */
    private static final int TRUSTED_BYTES = 16 << 10;

    private Bytes() {}

    /** Length (-1 for null), then the bytes. */
    static void write(DataOutputView out, @Nullable byte[] bytes) throws IOException {
        if (bytes == null) {
            out.writeInt(NONE);
        } else {
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    @Nullable
    static byte[] readNullable(DataInputView in) throws IOException {
        int length = in.readInt();
        if (length == NONE) {
            return null;
        }
        if (length < 0) {
            throw new IOException("a byte array of length " + length);
        }
        byte[] bytes = new byte[Math.min(length, TRUSTED_BYTES)];
        in.readFully(bytes);
        while (bytes.length < length) {
            int read = bytes.length;
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * read));
            in.readFully(bytes, read, bytes.length - read);
        }
        return bytes;
    }

    static byte[] read(DataInputView in) throws IOException {
        byte[] bytes = readNullable(in);
        if (bytes == null) {
            throw new IOException("a byte array that must be there is absent");
        }
        return bytes;
    }

    /** {@code writeUTF} stops at 65 535 bytes; a reason may be longer. */
    static void writeText(DataOutputView out, String text) throws IOException {
        write(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static String readText(DataInputView in) throws IOException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(read(in))).toString();
        } catch (CharacterCodingException e) {
            throw new IOException("a text is not UTF-8", e);
        }
    }

    static void write(DataOutputView out, Ulid ulid) throws IOException {
        out.writeLong(ulid.high());
        out.writeLong(ulid.low());
    }

    static Ulid readUlid(DataInputView in) throws IOException {
        return new Ulid(in.readLong(), in.readLong());
    }
}
