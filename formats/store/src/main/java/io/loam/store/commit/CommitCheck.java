package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.chain.ManifestChain;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a committable may follow a manifest:
 *
 * <pre>
 * its base is the last apply commit        publish, if mode and offsets fit
 * its own id is on the retained chain      already committed
 * stream mode, and every partition's end
 *   is applied already                     recovered: dropped; else an error, as the restart that
 *                                          drops it also repairs the index, which it stands on
 * anything else                            refused for good
 * </pre>
 */
final class CommitCheck {
    private CommitCheck() {}

    /**
     * Empty if the committable is to be published on the live manifest.
     *
     * @param recovered it comes from restored state, not from a checkpoint of this attempt
     * @throws CommitRefusedException if it can never be published
     * @throws IOException also if a restart of the job settles it
     */
    static Optional<CommitOutcome> settle(
            CollectionCommittable committable, boolean recovered, ManifestChain chain)
            throws IOException {
        CollectionManifest live = chain.live().manifest();
        if (follows(committable, live)) {
            requireMode(committable, live);
            requireOffsets(committable, live);
            return Optional.empty();
        }
        Optional<ManifestChain.Link> own = chain.findCommit(committable.commitId());
        if (own.isPresent()) {
            return Optional.of(new CommitOutcome.AlreadyCommitted(own.get().version()));
        }
        if (!covered(committable, live)) {
            throw Refusal.of(committable, ahead(committable, live));
        }
        if (recovered) {
            return Optional.of(
                    new CommitOutcome.Dropped(
                            Refusal.describe(committable)
                                    + " is not needed: version "
                                    + live.version()
                                    + " has applied its offsets "
                                    + Refusal.offsets(committable.progress())));
        }
        throw new IOException(
                Refusal.describe(committable)
                        + " lost to another writer: "
                        + ahead(committable, live)
                        + ", which has applied its offsets "
                        + Refusal.offsets(committable.progress())
                        + "; a restart goes on from there");
    }

    /** Whether the committable stands on the last apply commit. */
    static boolean follows(CollectionCommittable committable, CollectionManifest live) {
        return committable.base().equals(ApplyProperties.lastCommit(live.properties()));
    }

    private static boolean covered(CollectionCommittable committable, CollectionManifest live) {
        return committable.mode() == CommitMode.STREAM
                && !committable.progress().isEmpty()
                && committable.progress().entrySet().stream()
                        .allMatch(
                                entry ->
                                        entry.getValue().to()
                                                <= live.applied().getOrDefault(entry.getKey(), 0L));
    }

    private static String ahead(CollectionCommittable committable, CollectionManifest live) {
        Map<String, String> properties = live.properties();
        String last = ApplyProperties.lastCommit(properties);
        return "its row ids stand on "
                + named(committable.base())
                + ", but version "
                + live.version()
                + " stands on "
                + named(last)
                + (last.isEmpty()
                        ? ""
                        : " by incarnation "
                                + properties.get(ManifestProperties.INCARNATION)
                                + " (checkpoint "
                                + properties.get(ManifestProperties.CHECKPOINT)
                                + ")");
    }

    private static String named(String commit) {
        return commit.isEmpty() ? "no commit" : "commit " + commit;
    }

    private static void requireMode(CollectionCommittable committable, CollectionManifest live)
            throws CommitRefusedException {
        Optional<CommitMode> fixed = ApplyProperties.mode(live.properties());
        if (fixed.isPresent() && fixed.get() != committable.mode()) {
            throw Refusal.of(
                    committable,
                    "it is in "
                            + committable.mode()
                            + " mode, but the collection's first commit fixed "
                            + fixed.get()
                            + " mode");
        }
        if (committable.mode() == CommitMode.DIRECT && !committable.progress().isEmpty()) {
            throw Refusal.of(committable, "offsets of a stream have no place in DIRECT mode");
        }
    }

    private static void requireOffsets(CollectionCommittable committable, CollectionManifest live)
            throws CommitRefusedException {
        for (Map.Entry<Integer, OffsetRange> entry : committable.progress().entrySet()) {
            OffsetRange range = entry.getValue();
            long applied = live.applied().getOrDefault(entry.getKey(), 0L);
            if (range.from() != applied || range.to() < range.from()) {
                throw Refusal.of(
                        committable,
                        "partition "
                                + entry.getKey()
                                + " covers "
                                + range.from()
                                + ".."
                                + range.to()
                                + ", but version "
                                + live.version()
                                + " has applied "
                                + applied);
            }
        }
    }
}
