package io.loam.store.maintain;

import java.io.Serializable;
import java.util.List;

/**
 * What became of the finished work of a round.
 *
 * @param version that was published; 0 if none was
 * @param works in the order they were given
 */
public record MaintenanceOutcome(long version, List<Result> works) implements Serializable {
    /** Of no work. */
    public static final MaintenanceOutcome NOTHING = new MaintenanceOutcome(0, List.of());

    private static final long serialVersionUID = 1L;

    public MaintenanceOutcome {
        works = List.copyOf(works);
    }

    /** What became of one finished work. */
    public enum Fate {
        /** It is part of the published version, or of an earlier one whose answer was lost. */
        PUBLISHED,
        /** It fits no version any more. */
        ABANDONED,
        /** It was not published, because others were faster too often or for too long. */
        BLOCKED
    }

    /**
     * One finished work.
     *
     * @param text what it did, or why it was not published
     */
    public record Result(FinishedWork work, Fate fate, String text) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** Whether everything given is published. */
    public boolean isComplete() {
        return works.stream().allMatch(result -> result.fate() == Fate.PUBLISHED);
    }
}
