package io.loam.store.repair;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.PkDelta;

import java.util.List;

/**
 * What to do with a key index before it resolves a key. {@code base} is the last apply commit of
 * the live manifest, empty for none.
 */
public sealed interface RepairPlan {
    String base();

    /** The index holds everything published; what it holds beyond is still to be published. */
    record Keep(String base) implements RepairPlan {}

    /** Put these deltas into the index, oldest first. */
    record Replay(List<PkDelta> deltas, String base) implements RepairPlan {
        public Replay {
            deltas = List.copyOf(deltas);
        }
    }

    /** Forget the index and read the keys of this version. */
    record Rebuild(CollectionManifest live, String base) implements RepairPlan {}
}
