package io.loam.store.commit;

/** What became of a committable that was not refused. */
public sealed interface CommitOutcome {
    /** This call published it as that version. */
    record Committed(long version) implements CommitOutcome {}

    /** An earlier call had published it as that version. */
    record AlreadyCommitted(long version) implements CommitOutcome {}

    /** Everything it covers was applied by others; it is not needed. */
    record Dropped(String reason) implements CommitOutcome {}
}
