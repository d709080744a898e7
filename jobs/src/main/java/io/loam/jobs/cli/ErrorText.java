package io.loam.jobs.cli;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Turns an exception into the one line people see. */
public final class ErrorText {
    private static final int MAX_CHARS = 1_000;

    private ErrorText() {}

    public static String of(Throwable failure) {
        return line(ofCause(failure));
    }

    /** One line of bounded length in which no character moves the cursor. */
    static String line(String text) {
        StringBuilder line = new StringBuilder();
        text.chars()
                .limit(MAX_CHARS)
                .forEach(
                        c -> {
                            if (Character.isISOControl(c)) {
                                line.append(String.format("\\u%04x", c));
                            } else {
                                line.append((char) c);
                            }
                        });
        return line + (text.length() > MAX_CHARS ? "..." : "");
    }

    private static String ofCause(Throwable failure) {
        Throwable e = failure;
        while ((e instanceof ExecutionException || e instanceof CompletionException)
                && e.getCause() != null) {
            e = e.getCause();
        }
        if (e instanceof CliException) {
            return firstLine(e);
        }
        if (e instanceof FileSystemException) {
            return ofFile((FileSystemException) e);
        }
        if (e instanceof TimeoutException || root(e) instanceof ConnectException) {
            return "the broker or database does not answer: " + firstLine(e);
        }
        if (e instanceof KafkaException && e.getCause() != null) {
            return "Kafka cannot work with these settings, check --brokers: " + deepest(e);
        }
        return firstLine(e);
    }

    /** Java's own message is often nothing but the file's name. */
    private static String ofFile(FileSystemException e) {
        if (e instanceof AccessDeniedException) {
            return "no permission for " + e.getFile();
        }
        if (e instanceof NoSuchFileException) {
            return "no file at " + e.getFile();
        }
        return e.getReason() == null
                ? e.getClass().getSimpleName() + ": " + firstLine(e)
                : firstLine(e);
    }

    /** The deepest message of a chain that says something, for a failed job. */
    public static String deepest(Throwable failure) {
        List<String> messages = new ArrayList<>();
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e.getMessage() != null) {
                messages.add(firstLine(e));
            }
        }
        return messages.isEmpty() ? failure.toString() : messages.get(messages.size() - 1);
    }

    private static Throwable root(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static String firstLine(Throwable e) {
        String message = e.getMessage() == null ? "" : e.getMessage();
        return message.lines()
                .filter(line -> !line.isBlank())
                .findFirst()
                .orElse(e.getClass().getSimpleName());
    }
}
