package io.loam.store.maintain;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class CompactionPlannerTest {
    private static final CompactionPolicy POLICY = new CompactionPolicy(true, 1000, 4, 100_000, 8);
    private static final UUID INDEX = new UUID(1, 1);

    @Test
    void fourSmallFragmentsAreDueThreeAreNot() {
        assertThat(plan(rows(499, 400, 300))).isEmpty();
        assertThat(plan(rows(200, 200, 200, 200))).containsExactly(List.of(1L, 2L, 3L, 4L));
        assertThat(plan(rows(200, 500, 200, 200))).isEmpty();
        assertThat(plan(rows(200, 500, 200, 200, 200))).containsExactly(List.of(1L, 3L, 4L, 5L));
    }

    @Test
    void aTenthOfDeletedRowsIsDue() {
        assertThat(plan(fragment(1, 1000, 99))).isEmpty();
        assertThat(plan(fragment(1, 1000, 100))).containsExactly(List.of(1L));
        assertThat(plan(fragment(1, 1000, 0), fragment(2, 900, 90), fragment(3, 700, 70)))
                .containsExactly(List.of(2L), List.of(3L));
        assertThat(plan(fragment(1, 400, 300), fragment(2, 900, 90)))
                .containsExactly(List.of(1L, 2L));
    }

    @Test
    void withoutADeletedRowNothingIsDueForItsDeletions() {
        CompactionPolicy all = new CompactionPolicy(true, 1000, 4, 0, 8);
        assertThat(new CompactionPlanner(all).plan(List.of(fragment(1, 900, 0)))).isEmpty();
        assertThat(new CompactionPlanner(all).plan(List.of(fragment(1, 900, 1)))).hasSize(1);
    }

    @Test
    void groupsGrowToTheTargetInTheOrderOfRowIds() {
        assertThat(plan(rows(400, 400, 400, 400, 400, 100)))
                .as("the fifth has more rows than the sixth, which is alone then")
                .containsExactly(List.of(1L, 2L), List.of(3L, 4L));
    }

    @Test
    void fragmentsUnderOtherIndexesAreNotPutTogether() {
        List<Compactable> mixed = new ArrayList<>(Arrays.asList(rows(100, 100, 100, 100)));
        mixed.set(1, new Compactable(mixed.get(1).fragment(), 2, Set.of(INDEX)));
        mixed.set(3, new Compactable(mixed.get(3).fragment(), 4, Set.of(INDEX)));
        assertThat(plan(mixed.toArray(new Compactable[0])))
                .containsExactly(List.of(1L, 3L), List.of(2L, 4L));
    }

    @Test
    void aLargeFragmentIsNotWrittenAgainForAFewRows() {
        assertThat(plan(rows(450, 10, 10, 10))).containsExactly(List.of(2L, 3L, 4L));
        assertThat(plan(rows(450, 200, 100, 40))).isEmpty();
        assertThat(
                        plan(
                                fragment(1, 450, 45),
                                fragment(2, 10, 0),
                                fragment(3, 1, 0),
                                fragment(4, 1, 0)))
                .containsExactly(List.of(1L, 2L, 3L, 4L));
    }

    @Test
    void aRoundHasSoManyTasks() {
        Compactable[] many = new Compactable[20];
        Arrays.setAll(many, i -> fragment(i + 1, 1000, 500));
        assertThat(plan(many)).hasSize(8);
        assertThat(new CompactionPlanner(POLICY.withEnabled(false)).plan(List.of(many))).isEmpty();
    }

    @Test
    void fragmentsWhoseDeletionsCannotBeReadStay() {
        LanceFragment arrow = new LanceFragment(1, 900, 300, List.of(), "_deletions/1-2-3.arrow");
        assertThat(plan(new Compactable(arrow, 1, Set.of()))).isEmpty();
    }

    /** Commits of any size for ever: few fragments stay, and each row is written few times. */
    @Test
    void fragmentsStayFewAndRowsAreWrittenFewTimes() {
        CompactionPolicy policy = CompactionPolicy.DEFAULT;
        Random random = new Random(5);
        List<Compactable> fragments = new ArrayList<>();
        long next = 1;
        long added = 0;
        long written = 0;
        for (int commit = 0; commit < 5_000; commit++) {
            int rows = 1 + random.nextInt(2_000);
            added += rows;
            fragments.add(fragment(next++, rows, 0));
            for (CompactFragments task : new CompactionPlanner(policy).plan(fragments)) {
                long sum = 0;
                long first = Long.MAX_VALUE;
                for (Compactable old : List.copyOf(fragments)) {
                    if (task.fragmentIds().contains(old.fragment().id())) {
                        fragments.remove(old);
                        sum += old.fragment().liveRows();
                        first = Math.min(first, old.firstRowId());
                    }
                }
                written += sum;
                int at = 0;
                while (at < fragments.size() && fragments.get(at).firstRowId() < first) {
                    at++;
                }
                LanceFragment made = new LanceFragment(next++, sum, 0, List.of(), null);
                fragments.add(at, new Compactable(made, first, Set.of()));
            }
            long least = added / policy.targetRows();
            assertThat(fragments.size()).isLessThan((int) (2 * least) + 25);
        }
        assertThat(written).isLessThan(12 * added);
        System.out.printf(
                "%d fragments of %d rows, each written %.1f times%n",
                fragments.size(), added, (double) written / added);
    }

    private static List<List<Long>> plan(Compactable... fragments) {
        return new CompactionPlanner(POLICY)
                .plan(List.of(fragments)).stream().map(CompactFragments::fragmentIds).toList();
    }

    private static Compactable[] rows(long... rows) {
        Compactable[] fragments = new Compactable[rows.length];
        Arrays.setAll(fragments, i -> fragment(i + 1, rows[i], 0));
        return fragments;
    }

    private static Compactable fragment(long id, long rows, long deleted) {
        String file = deleted == 0 ? null : "_deletions/" + id + "-1-1.bin";
        return new Compactable(new LanceFragment(id, rows, deleted, List.of(), file), id, Set.of());
    }
}
