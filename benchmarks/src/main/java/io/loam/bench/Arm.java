package io.loam.bench;

import java.util.Map;

/**
 * One side of a comparison, run in a JVM of its own. Needs a constructor without parameters, which
 * need not be public.
 */
public interface Arm {
    /**
     * Runs once.
     *
     * @param args what the figure handed to {@link BenchContext#fork}; {@link #DIRECTORY} is always
     *     among them
     * @return measured values by name; units are the figure's business
     */
    Map<String, Double> run(Map<String, String> args) throws Exception;

    /** Argument: an empty directory for this run, deleted after it. */
    String DIRECTORY = "directory";

    /** Prefix of arguments that are variables of the environment, too. */
    String ENVIRONMENT = "env.";
}
