package io.loam.codec.json;

/** Text that is not the JSON a document source may be. */
public class JsonSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JsonSyntaxException(String message) {
        super(message);
    }

    public JsonSyntaxException(String message, Throwable cause) {
        super(message, cause);
    }
}
