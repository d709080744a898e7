package io.loam.codec.staged;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;

import java.util.List;

/**
 * Dead letters of one staged unit ({@code staged/<unit>.dlp}), envelope {@code OPSD} around the
 * body of {@link DeadLetterCodec}. The magic differs so that a part is never taken for the dead
 * letters of a commit.
 */
public final class DeadLetterPartCodec {
    private DeadLetterPartCodec() {}

    public static byte[] encode(List<DeadLetter> letters) {
        return Envelope.wrap(Envelope.Type.OPSD, DeadLetterCodec.body(letters));
    }

    /**
     * Reads a part.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static List<DeadLetter> decode(byte[] object, String path) {
        return DeadLetterCodec.decodeBody(Envelope.unwrap(Envelope.Type.OPSD, object, path), path);
    }
}
