package io.loam.flink.operators.maintain;

import io.loam.store.maintain.TaskResult;

import org.apache.flink.annotation.Internal;

import java.io.Serializable;

/** The result of one task of a round. */
@Internal
public record RoundPart(String round, TaskResult result) implements Serializable {
    private static final long serialVersionUID = 1L;
}
