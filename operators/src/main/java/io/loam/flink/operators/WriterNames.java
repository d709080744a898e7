package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.Internal;

import javax.annotation.Nullable;

/** Who writes: the writer's id and the name it holds the apply lease under. */
@Internal
public final class WriterNames {
    private WriterNames() {}

    /** The given id, or one made of the job's name and the collection's. */
    public static String writer(
            @Nullable String configured, String jobName, CollectionInfo collection) {
        return configured != null
                ? configured
                : jobName + " to " + collection.namespace() + "." + collection.name();
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
