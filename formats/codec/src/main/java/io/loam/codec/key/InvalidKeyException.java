package io.loam.codec.key;

/** A primary key, or its canonical bytes, that breaks the rules of keys. */
public class InvalidKeyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidKeyException(String message) {
        super(message);
    }

    public InvalidKeyException(String message, Throwable cause) {
        super(message, cause);
    }
}
