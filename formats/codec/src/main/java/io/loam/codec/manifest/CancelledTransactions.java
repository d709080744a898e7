package io.loam.codec.manifest;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Tells what became of commit attempts whose manifests were written but are not on the retained
 * chain. The answer names files that may go; deleting them is garbage collection's business, with
 * checks of its own.
 */
public final class CancelledTransactions {
    /** The longest delay after which any kind of commit may still publish its manifest. */
    public static final long MAX_COMMIT_DELAY_MS = 30 * 60 * 1000L;

    private CancelledTransactions() {}

    /** What became of an attempt. */
    public enum State {
        /** Another attempt of the same operation is on the chain. */
        SUPERSEDED,
        /** It may still be published. */
        IN_FLIGHT,
        /** It never will be. */
        CANCELLED
    }

    /**
     * A manifest in the listing.
     *
     * @param uuid its operation's; absent if the writer recorded none
     * @param startedAtMs time of the ULID in its path
     * @param newFiles what its operation made, the manifest itself included
     * @param onChain whether it is on the retained chain
     */
    public record Attempt(
            String manifestPath,
            @Nullable UUID uuid,
            long startedAtMs,
            Set<String> newFiles,
            boolean onChain) {}

    /** An attempt off the chain, and which of its files nobody needs. */
    public record Verdict(Attempt attempt, State state, SortedSet<String> reclaimable) {}

    /**
     * Judges every attempt off the chain, in the order given.
     *
     * @param retained files that retained manifests refer to, never reclaimable
     */
    public static List<Verdict> classify(
            List<Attempt> attempts, long nowMs, long maxCommitDelayMs, Set<String> retained) {
        Map<UUID, Attempt> winners = new HashMap<>();
        for (Attempt attempt : attempts) {
            if (attempt.onChain() && attempt.uuid() != null) {
                winners.put(attempt.uuid(), attempt);
            }
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (Attempt attempt : attempts) {
            if (!attempt.onChain()) {
                verdicts.add(judge(attempt, winners, nowMs - maxCommitDelayMs, retained));
            }
        }
        return verdicts;
    }

    private static Verdict judge(
            Attempt attempt, Map<UUID, Attempt> winners, long oldest, Set<String> retained) {
        SortedSet<String> files = new TreeSet<>(attempt.newFiles());
        files.removeAll(retained);
        Attempt winner = attempt.uuid() == null ? null : winners.get(attempt.uuid());
        if (winner != null) {
            files.removeAll(winner.newFiles());
            return new Verdict(attempt, State.SUPERSEDED, files);
        }
        if (attempt.startedAtMs() > oldest) {
            return new Verdict(attempt, State.IN_FLIGHT, new TreeSet<>());
        }
        return new Verdict(attempt, State.CANCELLED, files);
    }
}
