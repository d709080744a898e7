package io.loam.flink.connector;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.Truncation;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ReadableConfig;

import java.io.IOException;

/** Removes every document of a collection, here and now, without a job. */
@Internal
public final class CollectionTruncation {
    private static final String WRITER = "truncation";

    private CollectionTruncation() {}

    /**
     * Returns how many documents there were.
     *
     * @param options {@link CollectionSinkOptions}, of which those of commits count
     * @throws IllegalArgumentException if the collection's changes come from a stream
     * @throws IOException if there is no such collection, a job writes it ({@link
     *     io.loam.store.commit.LeaseHeldException}), or something failed
     */
    public static long run(
            WarehouseOptions options, String namespace, String name, ReadableConfig commits)
            throws IOException {
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle collection = warehouse.open(namespace, name)) {
            CommitterOptions committer =
                    CommitSettings.of(commits).forOwner(WRITER + "/" + collection.ulids().next());
            return new Truncation(collection, committer, "TRUNCATE " + namespace + "." + name)
                    .run();
        }
    }
}
