package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;

import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;

import javax.annotation.Nullable;

import java.io.IOException;

/** The index in keyed state, which any key of the subtask's key groups may be asked of. */
final class KeyedIndex implements KeyIndex {
    static final String STATE = "row-id";

    private static final ValueStateDescriptor<Long> ROW_ID =
            new ValueStateDescriptor<>(STATE, Types.LONG);

    private final KeyedStateBackend<PrimaryKey> backend;
    private final ValueState<Long> rowIds;
    private final TaskInfo task;

    KeyedIndex(KeyedStateBackend<PrimaryKey> backend, TaskInfo task) throws IOException {
        this.backend = backend;
        this.task = task;
        try {
            this.rowIds =
                    backend.getPartitionedState(
                            VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, ROW_ID);
        } catch (Exception e) {
            throw new IOException("the key index cannot be opened", e);
        }
    }

    @Override
    @Nullable
    public Long row(PrimaryKey key) throws IOException {
        backend.setCurrentKey(key);
        return rowIds.value();
    }

    @Override
    public void put(PrimaryKey key, @Nullable Long row) throws IOException {
        backend.setCurrentKey(key);
        if (row == null) {
            rowIds.clear();
        } else {
            rowIds.update(row);
        }
    }

    /** Whether the key belongs to this part of the index. */
    boolean owns(PrimaryKey key) {
        return ownerOf(key) == subtask();
    }

    /** The subtask whose part of the index the key belongs to. */
    int ownerOf(PrimaryKey key) {
        return KeyGroupRangeAssignment.assignKeyToParallelOperator(
                key, task.getMaxNumberOfParallelSubtasks(), subtasks());
    }

    int subtask() {
        return task.getIndexOfThisSubtask();
    }

    /** How many parts the index has. */
    int subtasks() {
        return task.getNumberOfParallelSubtasks();
    }

    /** Forgets every key. */
    void clear() throws IOException {
        try {
            backend.applyToAllKeys(
                    VoidNamespace.INSTANCE,
                    VoidNamespaceSerializer.INSTANCE,
                    ROW_ID,
                    (key, state) -> state.clear());
        } catch (Exception e) {
            throw new IOException("the key index cannot be cleared", e);
        }
    }
}
