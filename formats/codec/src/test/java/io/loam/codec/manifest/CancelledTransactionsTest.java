package io.loam.codec.manifest;

import io.loam.codec.manifest.CancelledTransactions.Attempt;
import io.loam.codec.manifest.CancelledTransactions.State;
import io.loam.codec.manifest.CancelledTransactions.Verdict;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class CancelledTransactionsTest {
    private static final UUID ID = new UUID(1, 2);

    private static List<Verdict> classify(Set<String> retained, Attempt... attempts) {
        return CancelledTransactions.classify(List.of(attempts), 10_000, 1_000, retained);
    }

    @Test
    void filesOfRetainedManifestsAreNeverReclaimable() {
        Attempt attempt = new Attempt("m", ID, 0, Set.of("a", "b"), false);
        assertThat(classify(Set.of("b"), attempt))
                .singleElement()
                .satisfies(
                        v -> {
                            assertThat(v.state()).isEqualTo(State.CANCELLED);
                            assertThat(v.reclaimable()).containsExactly("a");
                        });
    }

    @Test
    void anAttemptIsInFlightUntilTheDelayIsOver() {
        assertThat(classify(Set.of(), new Attempt("m", ID, 9_001, Set.of("a"), false)))
                .extracting(Verdict::state)
                .containsExactly(State.IN_FLIGHT);
        assertThat(classify(Set.of(), new Attempt("m", ID, 9_000, Set.of("a"), false)))
                .extracting(Verdict::state)
                .containsExactly(State.CANCELLED);
    }

    @Test
    void aRebaseThatWonSupersedesEvenAYoungAttempt() {
        List<Verdict> verdicts =
                classify(
                        Set.of(),
                        new Attempt("m", ID, 9_999, Set.of("a", "shared"), false),
                        new Attempt("w", ID, 9_999, Set.of("b", "shared"), true));
        assertThat(verdicts).extracting(Verdict::state).containsExactly(State.SUPERSEDED);
        assertThat(verdicts.get(0).reclaimable()).containsExactly("a");
    }

    @Test
    void attemptsWithoutAnOperationAreNobodysRebase() {
        assertThat(
                        classify(
                                Set.of(),
                                new Attempt("m", null, 0, Set.of("a"), false),
                                new Attempt("w", null, 0, Set.of("b"), true)))
                .extracting(Verdict::state)
                .containsExactly(State.CANCELLED);
    }
}
