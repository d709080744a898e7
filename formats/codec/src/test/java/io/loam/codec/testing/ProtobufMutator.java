package io.loam.codec.testing;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;

import javax.annotation.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Changes fields of a protobuf message and keeps it well-formed, so that the code behind the parser
 * is reached. Knows no schema: bytes that parse as a message are taken for one half of the time.
 */
final class ProtobufMutator {
    private static final int MAX_COPIES = 40;
    private static final int MAX_NUMBER = 30;

    private final Random random;
    private final Mutator mutator;

    /** A field; {@code bytes} is null for a number. */
    private record Field(int tag, long number, @Nullable byte[] bytes) {}

    ProtobufMutator(Random random, Mutator mutator) {
        this.random = random;
        this.mutator = mutator;
    }

    /** Bytes that are no message are changed as bytes. */
    byte[] mutate(byte[] message, byte[] other) {
        List<Field> fields = parse(message);
        if (fields == null || fields.isEmpty()) {
            return mutator.mutate(message, other);
        }
        int at = random.nextInt(fields.size());
        Field field = fields.get(at);
        switch (random.nextInt(8)) {
            case 0 -> fields.remove(at);
            case 1 -> {
                int copies = 1 + random.nextInt(random.nextInt(MAX_COPIES) + 1);
                for (int i = 0; i < copies; i++) {
                    fields.add(field);
                }
            }
            case 2 -> fields.add(fields.remove(random.nextInt(fields.size())));
            case 3 -> fields.set(at, renumbered(field));
            case 4 -> {
                List<Field> others = parse(other);
                if (others != null && !others.isEmpty()) {
                    fields.add(at, others.get(random.nextInt(others.size())));
                }
            }
            default -> fields.set(at, changed(field, other));
        }
        return print(fields);
    }

    private Field renumbered(Field field) {
        int number =
                random.nextInt(4) == 0 ? 100 + random.nextInt(14) : 1 + random.nextInt(MAX_NUMBER);
        int type = field.tag & 7;
        return new Field(number << 3 | type, field.number, field.bytes);
    }

    private Field changed(Field field, byte[] other) {
        if (field.bytes == null) {
            long number =
                    random.nextBoolean() ? mutator.number() : field.number + random.nextInt(5) - 2;
            return new Field(field.tag, number, null);
        }
        byte[] bytes =
                random.nextBoolean()
                        ? mutate(field.bytes, other)
                        : mutator.mutate(field.bytes, other);
        return new Field(field.tag, 0, bytes);
    }

    @Nullable
    private static List<Field> parse(byte[] message) {
        List<Field> fields = new ArrayList<>();
        CodedInputStream in = CodedInputStream.newInstance(message);
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                switch (tag & 7) {
                    case WireFormat.WIRETYPE_VARINT ->
                            fields.add(new Field(tag, in.readRawVarint64(), null));
                    case WireFormat.WIRETYPE_FIXED64 ->
                            fields.add(new Field(tag, in.readRawLittleEndian64(), null));
                    case WireFormat.WIRETYPE_FIXED32 ->
                            fields.add(new Field(tag, in.readRawLittleEndian32(), null));
                    case WireFormat.WIRETYPE_LENGTH_DELIMITED ->
                            fields.add(new Field(tag, 0, in.readByteArray()));
                    default -> {
                        return null;
                    }
                }
            }
            return fields;
        } catch (IOException e) {
            return null; // not a message
        }
    }

    private static byte[] print(List<Field> fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            for (Field field : fields) {
                out.writeUInt32NoTag(field.tag);
                switch (field.tag & 7) {
                    case WireFormat.WIRETYPE_VARINT -> out.writeUInt64NoTag(field.number);
                    case WireFormat.WIRETYPE_FIXED64 -> out.writeFixed64NoTag(field.number);
                    case WireFormat.WIRETYPE_FIXED32 -> out.writeFixed32NoTag((int) field.number);
                    default -> out.writeByteArrayNoTag(field.bytes);
                }
            }
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
