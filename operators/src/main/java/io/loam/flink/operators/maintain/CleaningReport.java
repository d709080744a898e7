package io.loam.flink.operators.maintain;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;

/**
 * What one pass of garbage collection or trimming did to one thing.
 *
 * @param target collection with its namespace, or a path of the warehouse
 * @param removed objects that were deleted, or records that were trimmed
 * @param bytes of the objects; 0 of records
 * @param text for people
 * @param problem why it was left alone, empty if it was not
 */
@PublicEvolving
public record CleaningReport(String target, long removed, long bytes, String text, String problem)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    static CleaningReport failed(String target, String problem) {
        return new CleaningReport(target, 0, 0, "", problem);
    }

    /** One line for people. */
    @Override
    public String toString() {
        return target + ": " + (problem.isEmpty() ? text : "left alone: " + problem);
    }
}
