package io.loam.codec.staged;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.OptionCodec;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Key lists of staged units ({@code staged/<unit>.keys}), envelope {@code OPSK}. Body, in postcard:
 *
 * <pre>
 * count      varint
 * changes    key bytes; option u64 old row id; option u64 new row id
 * </pre>
 *
 * Keys are canonical and ascend strictly: a unit that changed a key more than once lists where it
 * came from and where it ended.
 */
public final class KeyListCodec {
    /** A length and two options' tags. */
    private static final int MIN_CHANGE_BYTES = 3;

    private KeyListCodec() {}

    /**
     * The object of a list, sorted here.
     *
     * @throws IllegalArgumentException if a key stands twice
     */
    public static byte[] encode(List<KeyChange> changes) {
        List<KeyChange> sorted = new ArrayList<>(changes);
        sorted.sort(Comparator.comparing(KeyChange::key));
        requireAscending(sorted);
        PostcardWriter body = new PostcardWriter();
        body.size(sorted.size());
        for (KeyChange change : sorted) {
            body.bytes(change.key().canonical());
            OptionCodec.writeU64(body, change.oldRow());
            OptionCodec.writeU64(body, change.newRow());
        }
        return Envelope.wrap(Envelope.Type.OPSK, body.toByteArray());
    }

    /**
     * Reads a list, in ascending order of keys.
     *
     * @throws CorruptException if the bytes are damaged, or keys repeat or do not ascend
     */
    public static List<KeyChange> decode(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPSK, object, path);
        try {
            PostcardReader in = new PostcardReader(body);
            int count = in.count(MIN_CHANGE_BYTES);
            List<KeyChange> changes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                PrimaryKey key = PrimaryKey.parseCanonical(in.bytes());
                changes.add(new KeyChange(key, OptionCodec.readU64(in), OptionCodec.readU64(in)));
            }
            in.expectEnd();
            requireAscending(changes);
            return changes;
        } catch (PostcardException | InvalidKeyException | IllegalArgumentException e) {
            throw new CorruptException(path + ": key list: " + e.getMessage(), e);
        }
    }

    private static void requireAscending(List<KeyChange> changes) {
        for (int i = 1; i < changes.size(); i++) {
            if (changes.get(i - 1).key().compareTo(changes.get(i).key()) >= 0) {
                throw new IllegalArgumentException(
                        "keys must ascend: "
                                + changes.get(i).key()
                                + " follows "
                                + changes.get(i - 1).key());
            }
        }
    }
}
