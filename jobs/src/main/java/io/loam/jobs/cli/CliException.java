package io.loam.jobs.cli;

/** A failure the command line tells in one line: what is wrong and what to do. */
public class CliException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CliException(String message) {
        super(message);
    }

    public CliException(String message, Throwable cause) {
        super(message, cause);
    }
}
