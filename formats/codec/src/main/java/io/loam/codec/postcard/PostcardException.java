package io.loam.codec.postcard;

/** Bytes that are not the postcard value they should be. */
public class PostcardException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PostcardException(String message) {
        super(message);
    }
}
