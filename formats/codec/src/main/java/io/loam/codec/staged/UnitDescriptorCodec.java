package io.loam.codec.staged;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.util.ArrayList;
import java.util.List;

/**
 * Unit descriptors ({@code staged/<unit>.stg}), envelope {@code OPSU}. Body, in postcard:
 *
 * <pre>
 * unit           16 bytes, ULID big-endian, no length
 * incarnation    16 bytes, ULID big-endian, no length
 * created at     u64 ms
 * paths          count; strings
 * </pre>
 */
public final class UnitDescriptorCodec {
    private static final int ULID_BYTES = 16;

    private UnitDescriptorCodec() {}

    public static byte[] encode(UnitDescriptor descriptor) {
        PostcardWriter body = new PostcardWriter();
        body.raw(descriptor.unit().toBytes());
        body.raw(descriptor.incarnation().toBytes());
        body.u64(descriptor.createdAtMs());
        body.size(descriptor.paths().size());
        descriptor.paths().forEach(body::string);
        return Envelope.wrap(Envelope.Type.OPSU, body.toByteArray());
    }

    /**
     * Reads a descriptor.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static UnitDescriptor decode(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPSU, object, path);
        try {
            PostcardReader in = new PostcardReader(body);
            Ulid unit = Ulid.fromBytes(in.raw(ULID_BYTES));
            Ulid incarnation = Ulid.fromBytes(in.raw(ULID_BYTES));
            long createdAtMs = in.u64();
            int count = in.count(1);
            List<String> paths = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                paths.add(in.string());
            }
            in.expectEnd();
            return new UnitDescriptor(unit, incarnation, createdAtMs, paths);
        } catch (PostcardException e) {
            throw new CorruptException(path + ": unit descriptor: " + e.getMessage(), e);
        }
    }
}
