package io.loam.codec.record;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.record.RecordException.Reason;

import javax.annotation.Nullable;

/**
 * An operation as the value of a stream record; the record's key is the canonical primary key.
 *
 * <pre>
 * value  = 01 | Op                       at most 16 MiB in all
 * Op     = 0 Doc | 1 Pk | 2 Patch        upsert, delete, patch
 * Doc    = Pk, source bytes, map(name, seq f32), map(name, Sparse)
 * Patch  = Pk, mode, source bytes, seq string, map(name, option seq f32),
 *          map(name, option Sparse), option Doc
 * Sparse = seq u32, seq f32
 * Pk     = 0 u64 varint | 1 16 bytes | 2 string
 * </pre>
 */
public final class RecordCodec {
    /** Most bytes of a value, version byte included. */
    public static final int MAX_VALUE_BYTES = 16 << 20;

    private static final int VERSION = 1;
    private static final int UPSERT = 0;
    private static final int DELETE = 1;
    private static final int PATCH = 2;

    private RecordCodec() {}

    /**
     * The value of a record; its key is {@code operation.key().canonical()}.
     *
     * @throws RecordException MALFORMED for a dense value that is not finite, TOO_LARGE
     */
    public static byte[] encode(Operation operation) {
        PostcardWriter out = new PostcardWriter(256);
        out.u8(VERSION);
        RecordBodyWriter body = new RecordBodyWriter(out);
        if (operation instanceof Operation.Upsert) {
            out.size(UPSERT);
            body.document(((Operation.Upsert) operation).document());
        } else if (operation instanceof Operation.Delete) {
            out.size(DELETE);
            body.key(operation.key());
        } else {
            out.size(PATCH);
            body.patch((Operation.Patch) operation);
        }
        if (out.length() > MAX_VALUE_BYTES) {
            throw tooLarge(out.length());
        }
        return out.toByteArray();
    }

    /**
     * The key of a record, whatever its body holds.
     *
     * @throws RecordException for a record that is none before anybody looks at its body
     */
    public static PrimaryKey key(@Nullable byte[] key, @Nullable byte[] value) {
        if (key == null) {
            throw new RecordException(Reason.MISSING_KEY, "missing record key");
        }
        checkHead(value);
        try {
            return PrimaryKey.parseCanonical(key);
        } catch (InvalidKeyException e) {
            throw new RecordException(Reason.INVALID_KEY, "invalid record key: " + e.getMessage());
        }
    }

    private static void checkHead(@Nullable byte[] value) {
        if (value == null || value.length == 0) {
            throw new RecordException(Reason.MISSING_VALUE, "missing record value");
        }
        if (value.length > MAX_VALUE_BYTES) {
            throw tooLarge(value.length);
        }
        if (value[0] != VERSION) {
            throw new RecordException(
                    Reason.UNKNOWN_VERSION, "unknown codec version " + (value[0] & 0xff));
        }
    }

    /**
     * @throws RecordException for every record that is not one, checks in the order of the format
     */
    public static Operation decode(@Nullable byte[] key, @Nullable byte[] value) {
        return checked(key(key, value), value);
    }

    /**
     * The same of a record whose key has been looked at.
     *
     * @param key as {@link #key} or whoever made the record has it
     */
    public static Operation decodeValue(PrimaryKey key, @Nullable byte[] value) {
        checkHead(value);
        return checked(key, value);
    }

    private static Operation checked(PrimaryKey key, byte[] value) {
        Operation operation = body(value);
        if (!operation.key().equals(key)) {
            throw new RecordException(
                    Reason.KEY_MISMATCH, "the body's key differs from the record's key");
        }
        return operation;
    }

    private static Operation body(byte[] value) {
        RawOperation raw;
        try {
            PostcardReader in = new PostcardReader(value, 1, value.length);
            raw = new RecordBodyReader(in).operation();
            in.expectEnd();
        } catch (PostcardException | SparseVectorException e) {
            throw new RecordException(Reason.MALFORMED, "malformed body: " + e.getMessage());
        }
        return raw.checked();
    }

    private static RecordException tooLarge(int bytes) {
        return new RecordException(
                Reason.TOO_LARGE,
                "the value has " + bytes + " bytes, at most " + MAX_VALUE_BYTES + " are allowed");
    }
}
