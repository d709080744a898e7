package io.loam.codec.manifest;

import java.util.List;

/** One step of an operation: what people read and what it changed, in order. */
public record UserAction(String description, List<Action> actions) {
    public UserAction {
        actions = List.copyOf(actions);
    }
}
