package io.loam.store.maintain;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Settings given as text; whatever is not asked for is refused. */
final class Settings {
    private final String kind;
    private final Map<String, String> given;
    private final Set<String> known = new TreeSet<>();

    /**
     * @param kind for messages
     */
    Settings(String kind, Map<String, String> given) {
        this.kind = kind;
        this.given = given;
    }

    boolean flag(String name, boolean otherwise) {
        String text = text(name);
        if (text == null) {
            return otherwise;
        }
        if (!text.equals("true") && !text.equals("false")) {
            throw refused(name, text, "true or false");
        }
        return text.equals("true");
    }

    long number(String name, long otherwise) {
        String text = text(name);
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw refused(name, text, "a whole number");
        }
    }

    int count(String name, int otherwise) {
        String text = text(name);
        try {
            return text == null ? otherwise : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw refused(name, text, "a whole number");
        }
    }

    private String text(String name) {
        known.add(name);
        return given.get(name);
    }

    private IllegalArgumentException refused(String name, String text, String expected) {
        return new IllegalArgumentException(
                "the " + kind + " setting " + name + " must be " + expected + ", not " + text);
    }

    /** Refuses a setting that is too small, however it was given. */
    static void requireAtLeast(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    what + " must be at least " + least + ", not " + value);
        }
    }

    /** Refuses settings that nobody asked for. */
    void requireNoOthers() {
        for (String name : given.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no " + kind + " setting " + name + "; there are " + known);
            }
        }
    }
}
