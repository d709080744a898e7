package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.UuidText;
import io.loam.codec.schema.CollectionSchema.FieldKind;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Turns extracted values into what a field indexes. Null never gives a value and is no error. */
public final class Coercion {
    private static final int MAX_SHOWN_BYTES = 64;
    private static final double TWO_63 = 0x1p63;
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]++");
    // Possessive, so that long digits that end in something else are not tried in every split.
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?([0-9]++(\\.[0-9]*+)?|\\.[0-9]++)([eE][+-]?[0-9]++)?");

    private Coercion() {}

    public static Coerced coerce(FieldKind kind, JsonValue value) {
        if (value instanceof JsonNull) {
            return Coerced.Nothing.INSTANCE;
        }
        Object result =
                value instanceof JsonObject || value instanceof JsonArray
                        ? null
                        : scalar(kind, value);
        if (result == null) {
            return new Coerced.Malformed("cannot index " + shown(value) + " as " + kindName(kind));
        }
        return new Coerced.Value(result);
    }

    @Nullable
    private static Object scalar(FieldKind kind, JsonValue value) {
        if (kind instanceof FieldKind.Text || kind instanceof FieldKind.Keyword) {
            return value instanceof JsonString ? ((JsonString) value).value() : Json.text(value);
        } else if (kind instanceof FieldKind.I64) {
            return boxed(integer(value));
        } else if (kind instanceof FieldKind.F64) {
            OptionalDouble real = real(value);
            return real.isPresent() ? (Object) real.getAsDouble() : null;
        } else if (kind instanceof FieldKind.Bool) {
            return bool(value);
        } else if (kind instanceof FieldKind.Date) {
            return boxed(date(value));
        } else if (kind instanceof FieldKind.Uuid) {
            return value instanceof JsonString
                    ? UuidText.parse(((JsonString) value).value())
                            .map(Object::toString)
                            .orElse(null)
                    : null;
        }
        // A Json field takes objects only, and those by another way.
        return null;
    }

    @Nullable
    private static Object boxed(OptionalLong value) {
        return value.isPresent() ? (Object) value.getAsLong() : null;
    }

    private static OptionalLong integer(JsonValue value) {
        if (value instanceof JsonInteger) {
            JsonInteger integer = (JsonInteger) value;
            return integer.unsigned() ? OptionalLong.empty() : OptionalLong.of(integer.value());
        }
        if (value instanceof JsonDouble) {
            return truncated(((JsonDouble) value).value());
        }
        if (!(value instanceof JsonString)) {
            return OptionalLong.empty();
        }
        String text = ((JsonString) value).value();
        if (INTEGER.matcher(text).matches()) {
            try {
                return OptionalLong.of(Long.parseLong(text));
            } catch (NumberFormatException e) {
                return OptionalLong.empty();
            }
        }
        OptionalDouble real = number(text);
        return real.isPresent() ? truncated(real.getAsDouble()) : OptionalLong.empty();
    }

    private static OptionalLong truncated(double value) {
        return value >= -TWO_63 && value < TWO_63
                ? OptionalLong.of((long) value)
                : OptionalLong.empty();
    }

    private static OptionalDouble real(JsonValue value) {
        if (value instanceof JsonInteger) {
            JsonInteger integer = (JsonInteger) value;
            return OptionalDouble.of(
                    integer.unsigned()
                            ? Double.parseDouble(Long.toUnsignedString(integer.value()))
                            : integer.value());
        }
        if (value instanceof JsonDouble) {
            return OptionalDouble.of(((JsonDouble) value).value());
        }
        return value instanceof JsonString
                ? number(((JsonString) value).value())
                : OptionalDouble.empty();
    }

    /** A finite decimal number; Java alone would also take hex, suffixes and white space. */
    private static OptionalDouble number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            return OptionalDouble.empty();
        }
        double value = Double.parseDouble(text);
        return Double.isInfinite(value) ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    @Nullable
    private static Boolean bool(JsonValue value) {
        if (value instanceof JsonBoolean) {
            return ((JsonBoolean) value).value();
        }
        if (value instanceof JsonString) {
            switch (((JsonString) value).value()) {
                case "true":
                    return true;
                case "false":
                case "":
                    return false;
                default:
                    return null;
            }
        }
        return null;
    }

    private static OptionalLong date(JsonValue value) {
        if (value instanceof JsonInteger) {
            JsonInteger integer = (JsonInteger) value;
            return integer.unsigned() ? OptionalLong.empty() : DateText.inRange(integer.value());
        }
        return value instanceof JsonString
                ? DateText.millis(((JsonString) value).value())
                : OptionalLong.empty();
    }

    private static String shown(JsonValue value) {
        String text = Json.text(value);
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= MAX_SHOWN_BYTES) {
            return text;
        }
        int end = MAX_SHOWN_BYTES;
        while ((utf8[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8) + "…";
    }

    /** The kind's name in messages and schema files. */
    public static String kindName(FieldKind kind) {
        return kind.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }
}
