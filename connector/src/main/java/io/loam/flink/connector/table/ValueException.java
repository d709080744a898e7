package io.loam.flink.connector.table;

/** A value that cannot be kept in a document, or cannot be read as its column's type. */
final class ValueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ValueException(String message) {
        super(message);
    }

    ValueException(String message, Throwable cause) {
        super(message, cause);
    }
}
