package io.loam.codec.manifest;

import javax.annotation.Nullable;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What a commit did, in actions that turn its parent manifest into its own.
 *
 * @param uuid identity; the same over all attempts to commit it
 * @param readVersion version of the parent manifest, 0 for the empty collection
 * @param kind kind of the manifest it makes; absent when it makes none
 * @param startedAtMs start of the attempt, metastore clock
 * @param actor who did it: a job's or a person's name
 * @param properties what explains the commit to people
 * @param attempt 0 for the first, one more for every rebase
 */
public record UserOperation(
        UUID uuid,
        long readVersion,
        List<UserAction> actions,
        @Nullable CommitKind kind,
        long startedAtMs,
        String actor,
        Map<String, String> properties,
        int attempt) {
    public UserOperation {
        actions = List.copyOf(actions);
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    /** The actions of all steps, in order: descriptions do not matter to their effect. */
    public List<Action> allActions() {
        return actions.stream().flatMap(step -> step.actions().stream()).toList();
    }
}
