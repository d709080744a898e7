package io.loam.codec.erase;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest.Tagged;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records of erasures. Bodies, in postcard:
 *
 * <pre>
 * request (OPER)               note of a release (OPEX), of completion (OPEC)
 *   id            16 bytes       id        16 bytes
 *   namespace     u64            at        u64 ms
 *   collection    u64            version   u64
 *   created at    u64 ms         objects   u64
 *   deadline      u64 ms         bytes     u64
 *   requester     string
 *   tagged        u8: 0 rewrite, 1 drop
 *   check         32 bytes
 *   hashes        count; 32 bytes each, ascending
 *   offsets       count; u32 partition, u64 offset, by partition
 * </pre>
 */
public final class ErasureCodec {
    private static final int ULID_BYTES = 16;
    private static final int MIN_OFFSET_BYTES = 2;

    private ErasureCodec() {}

    public static byte[] encode(ErasureRequest request) {
        PostcardWriter body = new PostcardWriter();
        body.raw(request.id().toBytes());
        body.u64(request.namespaceId()).u64(request.collectionId());
        body.u64(request.createdAtMs()).u64(request.deadlineMs());
        body.string(request.requester()).u8(request.tagged().ordinal());
        body.raw(request.check());
        body.size(request.hashes().size());
        request.hashes().forEach(body::raw);
        body.size(request.offsets().size());
        new TreeMap<>(request.offsets())
                .forEach((partition, offset) -> body.u32(partition).u64(offset));
        return Envelope.wrap(Envelope.Type.OPER, body.toByteArray());
    }

    /**
     * Reads a request.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static ErasureRequest decodeRequest(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPER, object, path);
        try {
            PostcardReader in = new PostcardReader(body);
            Ulid id = Ulid.fromBytes(in.raw(ULID_BYTES));
            long namespace = in.u64();
            long collection = in.u64();
            long created = in.u64();
            long deadline = in.u64();
            String requester = in.string();
            int tagged = in.u8();
            if (tagged >= Tagged.values().length) {
                throw new CorruptException(path + ": unknown way to treat tags: " + tagged);
            }
            byte[] check = in.raw(ErasureRequest.HASH_BYTES);
            List<byte[]> hashes = new ArrayList<>();
            for (int left = in.count(ErasureRequest.HASH_BYTES); left > 0; left--) {
                hashes.add(in.raw(ErasureRequest.HASH_BYTES));
            }
            Map<Integer, Long> offsets = new HashMap<>();
            for (int left = in.count(MIN_OFFSET_BYTES); left > 0; left--) {
                offsets.put(in.u32(), in.u64());
            }
            in.expectEnd();
            return new ErasureRequest(
                    id,
                    namespace,
                    collection,
                    created,
                    deadline,
                    requester,
                    Tagged.values()[tagged],
                    check,
                    hashes,
                    offsets);
        } catch (PostcardException | IllegalArgumentException e) {
            throw new CorruptException(path + ": erasure request: " + e.getMessage(), e);
        }
    }

    public static byte[] encodeReleased(ErasureNote note) {
        return encode(Envelope.Type.OPEX, note);
    }

    public static byte[] encodeCompletion(ErasureNote note) {
        return encode(Envelope.Type.OPEC, note);
    }

    private static byte[] encode(Envelope.Type type, ErasureNote note) {
        PostcardWriter body = new PostcardWriter();
        body.raw(note.id().toBytes()).u64(note.atMs()).u64(note.version());
        body.u64(note.objects()).u64(note.bytes());
        return Envelope.wrap(type, body.toByteArray());
    }

    /**
     * Reads the note of a release.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static ErasureNote decodeReleased(byte[] object, String path) {
        return decode(Envelope.Type.OPEX, object, path);
    }

    /**
     * Reads the note of a completion.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static ErasureNote decodeCompletion(byte[] object, String path) {
        return decode(Envelope.Type.OPEC, object, path);
    }

    private static ErasureNote decode(Envelope.Type type, byte[] object, String path) {
        byte[] body = Envelope.unwrap(type, object, path);
        try {
            PostcardReader in = new PostcardReader(body);
            Ulid id = Ulid.fromBytes(in.raw(ULID_BYTES));
            ErasureNote note = new ErasureNote(id, in.u64(), in.u64(), in.u64(), in.u64());
            in.expectEnd();
            return note;
        } catch (PostcardException e) {
            throw new CorruptException(path + ": note of an erasure: " + e.getMessage(), e);
        }
    }
}
