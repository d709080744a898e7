package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.util.ArrayList;
import java.util.List;

/**
 * PK deltas, envelope {@code OPPD}. Body, in postcard:
 *
 * <pre>
 * count    varint
 * entries  key bytes; option u64 row id
 * </pre>
 *
 * Keys are canonical and ascend strictly.
 */
public final class PkDeltaCodec {
    /** A length and an option's tag. */
    private static final int MIN_ENTRY_BYTES = 2;

    private PkDeltaCodec() {}

    public static byte[] encode(PkDelta delta) {
        PostcardWriter body = new PostcardWriter();
        body.size(delta.entries().size());
        for (PkDelta.Entry entry : delta.entries()) {
            body.bytes(entry.key().canonical());
            OptionCodec.writeU64(body, entry.rowId());
        }
        return Envelope.wrap(Envelope.Type.OPPD, body.toByteArray());
    }

    /**
     * Reads a delta.
     *
     * @throws CorruptException if the bytes are damaged, or keys repeat or do not ascend
     */
    public static PkDelta decode(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPPD, object, path);
        try {
            PostcardReader in = new PostcardReader(body);
            int count = in.count(MIN_ENTRY_BYTES);
            List<PkDelta.Entry> entries = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                PrimaryKey key = PrimaryKey.parseCanonical(in.bytes());
                entries.add(new PkDelta.Entry(key, OptionCodec.readU64(in)));
            }
            in.expectEnd();
            return new PkDelta(entries);
        } catch (PostcardException | InvalidKeyException | IllegalArgumentException e) {
            throw new CorruptException(path + ": PK delta: " + e.getMessage(), e);
        }
    }
}
