package io.loam.store.maintain;

import io.loam.codec.manifest.Action;
import io.loam.store.object.ObjectStore.Put;

import java.util.List;
import java.util.Map;

/** What one finished work changes on one parent, if anything. */
sealed interface WorkPlan {

    /**
     * It is published with the version that is being planned.
     *
     * @param description what people read in the history
     * @param actions that lead from the manifest it was planned on to the next, in order; empty for
     *     work that shares the change of another one planned with it
     * @param objects to store before the manifest: bitmaps, deletion files, a row version
     * @param properties of the new manifest that change with it
     */
    record Change(
            String description,
            List<Action> actions,
            List<Put> objects,
            Map<String, String> properties)
            implements WorkPlan {
        public Change {
            actions = List.copyOf(actions);
            objects = List.copyOf(objects);
            properties = Map.copyOf(properties);
        }
    }

    /** The parent has it already: the answer to an earlier commit was lost. */
    record AlreadyPublished(String description) implements WorkPlan {}

    /** It does not fit the parent and never will; its files are left to garbage collection. */
    record Abandoned(String reason) implements WorkPlan {
        /** Of work whose uploaded files may be collected before it is published. */
        static Abandoned tooOld(FinishedWork work, long startedMs, long longestMs) {
            return new Abandoned(
                    "it was begun "
                            + (startedMs - work.createdAtMs())
                            + " ms ago, and its files are not counted on after "
                            + longestMs
                            + " ms");
        }
    }
}
