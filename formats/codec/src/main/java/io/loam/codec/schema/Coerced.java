package io.loam.codec.schema;

/** What a field makes of one extracted value. */
public sealed interface Coerced {
    /** A String (Text, Keyword, Uuid), Long (I64; Date in ms), Double or Boolean. */
    record Value(Object value) implements Coerced {}

    /** No value and no error. */
    record Nothing() implements Coerced {
        static final Nothing INSTANCE = new Nothing();
    }

    /** A value the field cannot take, and why. */
    record Malformed(String message) implements Coerced {}
}
