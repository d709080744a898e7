package io.loam.flink.operators;

import java.util.ArrayList;
import java.util.List;

/**
 * The commits this job stands on and adds, oldest first: the one its indexes were opened at, then
 * its own committables. The newest is the base of the next. Commits below the live one are
 * forgotten.
 */
final class CommitLineage {
    private final List<String> commits;

    private CommitLineage(List<String> commits) {
        this.commits = commits;
    }

    static CommitLineage restored(Iterable<String> commits) {
        List<String> list = new ArrayList<>();
        commits.forEach(list::add);
        return new CommitLineage(list);
    }

    /** Starts over at a published commit; empty for a collection without commits. */
    void startAt(String commitId) {
        commits.clear();
        commits.add(commitId);
    }

    /** Whether there is anything to stand on. */
    boolean isEmpty() {
        return commits.isEmpty();
    }

    /** Commit id that the next committable builds on. */
    String base() {
        return commits.get(commits.size() - 1);
    }

    void add(String commitId) {
        commits.add(commitId);
    }

    /**
     * Takes note of the collection's last apply commit.
     *
     * @throws IllegalStateException if it is none of ours: another writer published
     */
    void observe(String live) {
        if (!forgetBelow(live)) {
            throw new IllegalStateException(
                    "another writer published commit "
                            + live
                            + " while this job stood on "
                            + commits
                            + "; a restart brings the key index in line with it");
        }
    }

    /** Forgets the commits below the live one; false if that is none of ours. */
    boolean forgetBelow(String live) {
        int at = commits.lastIndexOf(live);
        if (at < 0) {
            return false;
        }
        commits.subList(0, at).clear();
        return true;
    }

    /** Whether it has commits that were not seen published yet. */
    boolean isAhead() {
        return commits.size() > 1;
    }

    List<String> commits() {
        return List.copyOf(commits);
    }
}
