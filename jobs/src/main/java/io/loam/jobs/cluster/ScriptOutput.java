package io.loam.jobs.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * What Flink's SQL client prints while it runs a script, handed on as it comes. The client ends
 * with code 0 whatever happened; that a statement failed, it only says: in a style of its own, with
 * nothing behind it on the line. Of a result's row, something always is.
 */
final class ScriptOutput extends Thread {
    private static final Pattern FAILURE =
            Pattern.compile(
                    "\u001b\\[[0-9;]*m\\[ERROR] Could not execute SQL statement\\. Reason:$"
                            + "|^Failed to initialize from sql script: ");

    /** Of a longer line, only the end is looked at. */
    private static final int LONGEST_LINE = 4096;

    private final InputStream from;
    private final OutputStream to;
    private final byte[] line = new byte[LONGEST_LINE];
    private int length;
    private boolean failed;

    ScriptOutput(InputStream from, OutputStream to) {
        super("output of the SQL client");
        this.from = from;
        this.to = to;
    }

    /** Whether the client said that it could not do what it was told; ask when it has ended. */
    boolean failed() {
        return failed;
    }

    @Override
    public void run() {
        try {
            copy();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot hand on what the SQL client prints", e);
        }
    }

    private void copy() throws IOException {
        byte[] buffer = new byte[8192];
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            to.write(buffer, 0, read);
            to.flush();
            for (int i = 0; i < read; i++) {
                see(buffer[i]);
            }
        }
        endLine();
    }

    private void see(byte one) {
        if (one == '\n' || one == '\r') {
            endLine();
            return;
        }
        if (length == line.length) {
            length /= 2;
            System.arraycopy(line, length, line, 0, length);
        }
        line[length++] = one;
    }

    private void endLine() {
        String text = new String(line, 0, length, StandardCharsets.UTF_8);
        failed |= FAILURE.matcher(text).find();
        length = 0;
    }
}
