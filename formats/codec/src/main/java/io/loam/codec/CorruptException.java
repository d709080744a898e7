package io.loam.codec;

/**
 * Bytes that do not follow their format. The message names the object, what was found and what was
 * expected.
 */
public class CorruptException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CorruptException(String message) {
        super(message);
    }

    public CorruptException(String message, Throwable cause) {
        super(message, cause);
    }
}
