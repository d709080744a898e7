package io.loam.store.testing;

import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.Pointer;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Answers of a metastore that is behind, or that reads what nobody wrote. */
final class FaultyAnswers {
    /** The newest answer, and the last one before it that was another. */
    private record Seen(Object newest, Object older) {
        Seen next(Object answer) {
            return state(answer).equals(state(newest)) ? this : new Seen(answer, newest);
        }
    }

    private final Map<String, Seen> seen = new HashMap<>();

    /** Clocks apart, as they differ in every answer. */
    private static Object state(Object answer) {
        return answer instanceof CollectionHead head ? Optional.ofNullable(head.pointer()) : answer;
    }

    synchronized <T> T remember(String operation, T answer) {
        if (answer != null) {
            seen.merge(operation, new Seen(answer, answer), (old, one) -> old.next(answer));
        }
        return answer;
    }

    /** What this operation answered before the newest change; the same if there was none. */
    @SuppressWarnings("unchecked")
    synchronized <T> T older(String operation, T answer) {
        remember(operation, answer);
        return (T) seen.get(operation).older();
    }

    @SuppressWarnings("unchecked")
    <T> T flipped(T answer) {
        if (answer instanceof CollectionHead head && head.pointer() != null) {
            return (T)
                    new CollectionHead(head.collection(), flipped(head.pointer()), head.clockMs());
        }
        if (answer instanceof Optional<?> found && found.orElse(null) instanceof Pointer pointer) {
            return (T) Optional.of(flipped(pointer));
        }
        return answer;
    }

    /** The last letter of the ULID within the path. */
    private static Pointer flipped(Pointer pointer) {
        StringBuilder path = new StringBuilder(pointer.value());
        int at = path.lastIndexOf(".") - 1;
        path.setCharAt(at, (char) (path.charAt(at) ^ 1));
        return new Pointer(pointer.version(), path.toString());
    }
}
