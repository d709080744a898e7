package io.loam.store.gc;

import javax.annotation.Nullable;

import java.util.List;

/**
 * What a pass over a warehouse did, or would do.
 *
 * @param roots dropped collections, then collections by namespace and name, then key indexes
 */
public record GcReport(List<Root> roots) {

    /**
     * One root.
     *
     * @param name of the collection with its namespace, or the path that was dropped
     * @param result null if it failed
     * @param failure why it was left alone; null if it was not
     */
    public record Root(String name, @Nullable GcResult result, @Nullable String failure) {}

    public GcReport {
        roots = List.copyOf(roots);
    }

    public int deleted() {
        return roots.stream()
                .filter(root -> root.result() != null)
                .mapToInt(root -> root.result().deleted())
                .sum();
    }

    /** How many objects are due and still there. */
    public int left() {
        return roots.stream()
                .filter(root -> root.result() != null)
                .mapToInt(root -> root.result().left())
                .sum();
    }

    /** Whether every root could be read in full. */
    public boolean complete() {
        return roots.stream()
                .allMatch(
                        root ->
                                root.failure() == null
                                        && root.result() != null
                                        && root.result().plan().damage() == null);
    }
}
