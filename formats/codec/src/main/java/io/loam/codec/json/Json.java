package io.loam.codec.json;

import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses and prints JSON by the rules of document sources: RFC 8259 to the letter, valid UTF-8, at
 * most 127 levels, no lone surrogates. An integer literal that fits u64 (or i64 when negative)
 * stays exact, every other number becomes the nearest double; the last of repeated keys wins, in
 * the place of the first.
 */
public final class Json {
    private static final int MAX_DEPTH = 127;
    private static final BigInteger MAX_U64 = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
    private static final BigInteger MIN_I64 = BigInteger.valueOf(Long.MIN_VALUE);
    private static final int EXACT_DIGITS = 18;
    private static final int U64_DIGITS = 20;
    private static final char REPLACEMENT = '\ufffd';

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(MAX_DEPTH)
                                    .maxStringLength(Integer.MAX_VALUE)
                                    .maxNumberLength(Integer.MAX_VALUE)
                                    .maxNameLength(Integer.MAX_VALUE)
                                    .build())
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build();

    private Json() {}

    /**
     * Parses UTF-8 text whose top level must be an object.
     *
     * @throws JsonSyntaxException if it is anything else
     */
    public static JsonObject parseObject(byte[] utf8) {
        JsonValue value = parse(utf8);
        if (!(value instanceof JsonObject)) {
            throw new JsonSyntaxException("the top level must be an object");
        }
        return (JsonObject) value;
    }

    /**
     * Parses UTF-8 text of any JSON value.
     *
     * @throws JsonSyntaxException if it is not JSON
     */
    public static JsonValue parse(byte[] utf8) {
        try (JsonParser parser = FACTORY.createParser(decode(utf8))) {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw new JsonSyntaxException("the text is empty");
            }
            JsonValue value = value(parser, token);
            if (parser.nextToken() != null) {
                throw new JsonSyntaxException("something follows the value");
            }
            return value;
        } catch (IOException e) {
            throw new JsonSyntaxException(firstLine(e), e);
        }
    }

    private static String firstLine(IOException e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    private static String decode(byte[] utf8) {
        // Fast, and puts this character for what is malformed; who finds it has to look closer.
        String text = new String(utf8, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) < 0) {
            return text;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException e) {
            throw new JsonSyntaxException("the text is not valid UTF-8", e);
        }
    }

    private static JsonValue value(JsonParser parser, JsonToken token) throws IOException {
        switch (token) {
            case START_OBJECT:
                return object(parser);
            case START_ARRAY:
                return array(parser);
            case VALUE_STRING:
                return new JsonString(paired(parser.getText()));
            case VALUE_NUMBER_INT:
                return integer(parser.getText());
            case VALUE_NUMBER_FLOAT:
                return real(parser.getText());
            case VALUE_TRUE:
                return new JsonBoolean(true);
            case VALUE_FALSE:
                return new JsonBoolean(false);
            case VALUE_NULL:
                return JsonValue.NULL;
            default:
                throw new JsonSyntaxException("unexpected " + token);
        }
    }

    private static JsonObject object(JsonParser parser) throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = paired(parser.currentName());
            members.put(name, value(parser, parser.nextToken()));
        }
        return new JsonObject(members);
    }

    private static JsonArray array(JsonParser parser) throws IOException {
        List<JsonValue> values = new ArrayList<>();
        for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
            values.add(value(parser, t));
        }
        return new JsonArray(values);
    }

    private static String paired(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            boolean pair =
                    Character.isHighSurrogate(c)
                            && i + 1 < text.length()
                            && Character.isLowSurrogate(text.charAt(i + 1));
            if (!pair) {
                throw new JsonSyntaxException("a string holds a lone surrogate");
            }
            i++;
        }
        return text;
    }

    private static JsonValue integer(String literal) {
        if (literal.equals("-0")) {
            return new JsonDouble(-0.0);
        }
        if (literal.length() <= EXACT_DIGITS) {
            return JsonInteger.of(Long.parseLong(literal));
        }
        if (literal.length() > U64_DIGITS) {
            return real(literal);
        }
        BigInteger value = new BigInteger(literal);
        if (value.compareTo(MAX_U64) > 0 || value.compareTo(MIN_I64) < 0) {
            return real(literal);
        }
        return new JsonInteger(value.longValue(), value.bitLength() > 63);
    }

    private static JsonDouble real(String literal) {
        double value = Double.parseDouble(literal);
        if (Double.isInfinite(value)) {
            throw new JsonSyntaxException(
                    "the number " + shortened(literal) + " is beyond the range of a double");
        }
        return new JsonDouble(value);
    }

    private static String shortened(String literal) {
        return literal.length() <= 40 ? literal : literal.substring(0, 40) + "...";
    }

    /** Prints compactly as UTF-8. */
    public static byte[] print(JsonValue value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }

    /** Prints compactly. */
    public static String text(JsonValue value) {
        StringBuilder out = new StringBuilder(128);
        JsonPrinter.print(value, out);
        return out.toString();
    }
}
