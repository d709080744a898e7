package io.loam.codec.key;

import java.util.Optional;
import java.util.UUID;

/**
 * Reads UUIDs as people write them: hyphenated (8-4-4-4-12) or 32 hex digits, in any case, the
 * hyphenated form also in braces or behind {@code urn:uuid:}.
 */
public final class UuidText {
    private static final String URN = "urn:uuid:";
    private static final int HYPHENATED = 36;
    private static final int SIMPLE = 32;

    private UuidText() {}

    public static Optional<UUID> parse(String text) {
        String body = text;
        if (body.startsWith(URN)) {
            body = body.substring(URN.length());
            return body.length() == HYPHENATED ? hyphenated(body) : Optional.empty();
        }
        if (body.startsWith("{") && body.endsWith("}")) {
            body = body.substring(1, body.length() - 1);
            return body.length() == HYPHENATED ? hyphenated(body) : Optional.empty();
        }
        return body.length() == SIMPLE ? hex(body) : hyphenated(body);
    }

    private static Optional<UUID> hyphenated(String text) {
        boolean shaped =
                text.length() == HYPHENATED
                        && text.charAt(8) == '-'
                        && text.charAt(13) == '-'
                        && text.charAt(18) == '-'
                        && text.charAt(23) == '-';
        return shaped ? hex(text.replace("-", "")) : Optional.empty();
    }

    private static Optional<UUID> hex(String text) {
        if (text.length() != SIMPLE) {
            return Optional.empty();
        }
        for (int i = 0; i < SIMPLE; i++) {
            char c = text.charAt(i);
            boolean digit = c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
            if (!digit) {
                return Optional.empty();
            }
        }
        return Optional.of(
                new UUID(
                        Long.parseUnsignedLong(text.substring(0, 16), 16),
                        Long.parseUnsignedLong(text.substring(16), 16)));
    }
}
