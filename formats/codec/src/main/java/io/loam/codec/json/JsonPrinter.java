package io.loam.codec.json;

import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.Map;

/**
 * Compact JSON text: no spaces; only the quote, the backslash and controls below 0x20 are escaped,
 * the latter as {@code \b \t \n \f \r} or four lower-case hex digits.
 */
final class JsonPrinter {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private JsonPrinter() {}

    static void print(JsonValue value, StringBuilder out) {
        if (value instanceof JsonObject) {
            object((JsonObject) value, out);
        } else if (value instanceof JsonArray) {
            array((JsonArray) value, out);
        } else if (value instanceof JsonString) {
            string(((JsonString) value).value(), out);
        } else if (value instanceof JsonInteger) {
            JsonInteger integer = (JsonInteger) value;
            out.append(
                    integer.unsigned()
                            ? Long.toUnsignedString(integer.value())
                            : Long.toString(integer.value()));
        } else if (value instanceof JsonDouble) {
            DoubleText.append(((JsonDouble) value).value(), out);
        } else if (value instanceof JsonBoolean) {
            out.append(((JsonBoolean) value).value());
        } else {
            out.append("null");
        }
    }

    private static void object(JsonObject object, StringBuilder out) {
        out.append('{');
        char separator = 0;
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
            if (separator != 0) {
                out.append(separator);
            }
            separator = ',';
            string(member.getKey(), out);
            out.append(':');
            print(member.getValue(), out);
        }
        out.append('}');
    }

    private static void array(JsonArray array, StringBuilder out) {
        out.append('[');
        for (int i = 0; i < array.values().size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            print(array.values().get(i), out);
        }
        out.append(']');
    }

    private static void string(String text, StringBuilder out) {
        out.append('"');
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x20 && c != '"' && c != '\\') {
                continue;
            }
            out.append(text, from, i);
            escape(c, out);
            from = i + 1;
        }
        out.append(text, from, text.length()).append('"');
    }

    private static void escape(char c, StringBuilder out) {
        out.append('\\');
        switch (c) {
            case '"':
            case '\\':
                out.append(c);
                break;
            case '\b':
                out.append('b');
                break;
            case '\t':
                out.append('t');
                break;
            case '\n':
                out.append('n');
                break;
            case '\f':
                out.append('f');
                break;
            case '\r':
                out.append('r');
                break;
            default:
                out.append("u00").append(HEX[c >> 4]).append(HEX[c & 15]);
        }
    }
}
