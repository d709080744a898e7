package io.loam.flink.operators.maintain;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What one round did to one collection.
 *
 * @param collection namespace and name
 * @param version that was published, 0 if none was
 * @param problem why nothing could be published, empty if nothing went wrong
 */
@PublicEvolving
public record RoundReport(String collection, long version, List<TaskReport> tasks, String problem)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public RoundReport {
        tasks = List.copyOf(tasks);
    }

    /** What became of a task. */
    public enum Fate {
        /** Part of the published version. */
        PUBLISHED,
        /** What it was planned for was gone before or after it ran; the next plan knows. */
        OBSOLETE,
        /** It ran, but others published too often meanwhile; tried again. */
        BLOCKED,
        /** It failed; tried again. */
        FAILED
    }

    /**
     * One task of the round.
     *
     * @param text what it was or did, and what went wrong with it
     */
    @PublicEvolving
    public record TaskReport(Fate fate, String text) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** Whether something failed or was blocked. */
    public boolean isTroubled() {
        return !problem.isEmpty()
                || tasks.stream()
                        .anyMatch(
                                task -> task.fate() == Fate.FAILED || task.fate() == Fate.BLOCKED);
    }

    /** One line for people. */
    @Override
    public String toString() {
        return collection
                + ": "
                + (version == 0 ? "nothing published" : "version " + version)
                + (problem.isEmpty() ? "" : " (" + problem + ")")
                + tasks.stream()
                        .map(
                                task ->
                                        "; "
                                                + task.fate().name().toLowerCase(Locale.ROOT)
                                                + ": "
                                                + task.text())
                        .collect(Collectors.joining());
    }
}
