package io.loam.flink.operators;

import io.loam.codec.Ulid;

import org.apache.flink.annotation.Internal;

import javax.annotation.Nullable;

/** Who writes: the writer's id and the name it holds the apply lease under. */
@Internal
public final class WriterNames {
    private WriterNames() {}

    /**
     * The given id, or one made of the job's name and the collection's.
     *
     * @param collection as it was called when the graph was built: all tasks of a job, and all its
     *     attempts, must make the same name
     */
    public static String writer(@Nullable String configured, String jobName, String collection) {
        return configured != null ? configured : jobName + " to " + collection;
    }

    /** Whether an owner of the apply lease is this incarnation. */
    public static boolean isOwner(String owner, Ulid incarnation) {
        return owner.endsWith("/" + incarnation);
    }

    /** Owner of the apply lease. */
    public static String owner(String writer, Ulid incarnation) {
        return writer + "/" + incarnation;
    }
}
