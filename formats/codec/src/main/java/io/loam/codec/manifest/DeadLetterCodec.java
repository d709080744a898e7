package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Dead letters, envelope {@code OPDL}. Body, in postcard:
 *
 * <pre>
 * count    varint
 * letters  u32 partition; u64 offset; option bytes key; option bytes value; string reason
 * </pre>
 *
 * Letters are written by (partition, offset); a reader takes any order.
 */
public final class DeadLetterCodec {
    /** Partition, offset, two options' tags and a length. */
    private static final int MIN_LETTER_BYTES = 5;

    private static final Comparator<DeadLetter> ORDER =
            ((Comparator<DeadLetter>)
                            (a, b) -> Integer.compareUnsigned(a.partition(), b.partition()))
                    .thenComparing((a, b) -> Long.compareUnsigned(a.offset(), b.offset()));

    private DeadLetterCodec() {}

    public static byte[] encode(List<DeadLetter> letters) {
        return Envelope.wrap(Envelope.Type.OPDL, body(letters));
    }

    /**
     * Reads dead letters.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static List<DeadLetter> decode(byte[] object, String path) {
        return decodeBody(Envelope.unwrap(Envelope.Type.OPDL, object, path), path);
    }

    /** The body alone, for envelopes that hold the same list. */
    public static byte[] body(List<DeadLetter> letters) {
        List<DeadLetter> sorted = new ArrayList<>(letters);
        sorted.sort(ORDER);
        PostcardWriter body = new PostcardWriter();
        body.size(sorted.size());
        for (DeadLetter letter : sorted) {
            body.u32(letter.partition());
            body.u64(letter.offset());
            OptionCodec.writeBytes(body, letter.key());
            OptionCodec.writeBytes(body, letter.value());
            body.string(letter.reason());
        }
        return body.toByteArray();
    }

    /** Reads what {@link #body} wrote. */
    public static List<DeadLetter> decodeBody(byte[] body, String path) {
        try {
            PostcardReader in = new PostcardReader(body);
            int count = in.count(MIN_LETTER_BYTES);
            List<DeadLetter> letters = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                letters.add(
                        new DeadLetter(
                                in.u32(),
                                in.u64(),
                                OptionCodec.readBytes(in),
                                OptionCodec.readBytes(in),
                                in.string()));
            }
            in.expectEnd();
            return letters;
        } catch (PostcardException e) {
            throw new CorruptException(path + ": dead letters: " + e.getMessage(), e);
        }
    }
}
