package io.loam.store.gc;

import javax.annotation.Nullable;

import java.util.Comparator;
import java.util.List;

/**
 * What a pass would do: the fate of every object that was listed. A dry run is this and no more.
 *
 * @param clockMs the metastore's clock all ages were taken by
 * @param verdicts in path order
 * @param damage what could not be read, if the collection is kept whole; null otherwise
 */
public record GcPlan(long clockMs, List<Verdict> verdicts, @Nullable String damage) {

    /**
     * An object's fate.
     *
     * @param ageMs by the ULID in its name, else by its last modification
     */
    public record Verdict(String path, long bytes, long ageMs, Fate fate) {}

    public GcPlan {
        verdicts = List.copyOf(verdicts);
    }

    /**
     * What goes, in the order to delete: descriptors, manifests, the rest; oldest first. Manifests
     * that an erasure released go last: what they name is told by them.
     */
    public List<Verdict> deletes() {
        return verdicts.stream()
                .filter(verdict -> verdict.fate().isDeleted())
                .sorted(
                        Comparator.comparingInt((Verdict verdict) -> rank(verdict.fate()))
                                .thenComparing(Verdict::ageMs, Comparator.reverseOrder())
                                .thenComparing(Verdict::path))
                .toList();
    }

    private static int rank(Fate fate) {
        return switch (fate) {
            case PUBLISHED, EXPIRED -> 0;
            case SUPERSEDED -> 1;
            case RELEASED_MANIFEST -> 3;
            default -> 2;
        };
    }
}
