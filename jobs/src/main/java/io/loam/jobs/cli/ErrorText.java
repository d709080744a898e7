package io.loam.jobs.cli;

import org.apache.kafka.common.errors.TimeoutException;

import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Turns an exception into the one line people see. */
public final class ErrorText {
    private ErrorText() {}

    public static String of(Throwable failure) {
        Throwable e = failure;
        while ((e instanceof ExecutionException || e instanceof CompletionException)
                && e.getCause() != null) {
            e = e.getCause();
        }
        if (e instanceof AccessDeniedException) {
            return "no permission for " + ((AccessDeniedException) e).getFile();
        }
        if (e instanceof TimeoutException || root(e) instanceof ConnectException) {
            return "the broker or database does not answer: " + firstLine(e);
        }
        String text = firstLine(e);
        return e instanceof RuntimeException
                        && !(e instanceof CliException)
                        && e.getMessage() == null
                ? e.getClass().getSimpleName()
                : text;
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
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        return message.lines().findFirst().orElse(e.toString());
    }
}
