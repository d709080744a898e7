package io.loam.jobs.cluster;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.List;

/** Finds the sentence that matters in what Flink sends for errors: stack traces. */
final class FlinkErrors {
    private static final String CAUSE = "Caused by: ";

    private FlinkErrors() {}

    /** The deepest reason in the {@code errors} of an answer. */
    static String reason(JsonObject answer) {
        JsonValue errors = answer.members().get("errors");
        if (!(errors instanceof JsonArray)) {
            return Json.text(answer);
        }
        String reason = "";
        for (JsonValue error : ((JsonArray) errors).values()) {
            if (error instanceof JsonString) {
                reason = reason(((JsonString) error).value());
            }
        }
        return reason;
    }

    /** The deepest reason of a stack trace; the text itself if it is none. */
    static String reason(String trace) {
        List<String> lines = trace.lines().filter(line -> !line.isBlank()).toList();
        String reason = lines.isEmpty() ? "" : lines.get(0);
        for (String line : lines) {
            int cause = line.indexOf(CAUSE);
            if (cause >= 0) {
                reason = line.substring(cause + CAUSE.length());
            }
        }
        // The names of exceptions say nothing to people, unless there is nothing else.
        String message = reason.replaceFirst("^([\\w$]+\\.)+[\\w$]+: ", "");
        return message.isBlank() ? reason.strip() : message.strip();
    }
}
