package io.loam.codec.schema;

/** What a document does against its schema: the field, or {@code vectors.<name>}, and why. */
public record Violation(String field, String message) {
    @Override
    public String toString() {
        return field + ": " + message;
    }
}
