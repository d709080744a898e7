package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.flink.operators.StageOptions;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitMode;

import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;

import javax.annotation.Nullable;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;

import static io.loam.flink.connector.CollectionSinkOptions.BATCH_BYTES;
import static io.loam.flink.connector.CollectionSinkOptions.BATCH_RECORDS;
import static io.loam.flink.connector.CollectionSinkOptions.MODE;
import static io.loam.flink.connector.CollectionSinkOptions.ON_ERROR;
import static io.loam.flink.connector.CollectionSinkOptions.QUEUED_BATCHES;
import static io.loam.flink.connector.CollectionSinkOptions.STAGING_DIRECTORY;
import static io.loam.flink.connector.CollectionSinkOptions.UNIT_BYTES;
import static io.loam.flink.connector.CollectionSinkOptions.UNIT_ROWS;

/** Builds a {@link CollectionSink}. */
@PublicEvolving
public final class CollectionSinkBuilder {
    @Nullable private WarehouseOptions warehouse;
    @Nullable private String namespace;
    @Nullable private String name;
    @Nullable private WarehouseCollection.Found found;
    @Nullable private CollectionPublication publication;
    private final Configuration options = new Configuration();

    CollectionSinkBuilder() {}

    /** The warehouse that holds the collection. */
    public CollectionSinkBuilder warehouse(WarehouseOptions value) {
        this.warehouse = value;
        return this;
    }

    /** The collection to write; it must exist. */
    public CollectionSinkBuilder collection(String collectionNamespace, String collectionName) {
        this.namespace = collectionNamespace;
        this.name = collectionName;
        return this;
    }

    /** The collection to write, which was found already, instead of warehouse and name. */
    @Internal
    public CollectionSinkBuilder collection(WarehouseCollection.Found value) {
        this.found = value;
        this.warehouse = value.opener().warehouse();
        return collection(value.info().namespace(), value.info().name());
    }

    /** Gives the collection its name when all is written, which needs batch execution. */
    @Internal
    public CollectionSinkBuilder publication(CollectionPublication value) {
        this.publication = value;
        return this;
    }

    /**
     * Takes changes that have no offsets, as {@link Changes} makes them, instead of the elements of
     * an {@link ImplicitStreamSource}; sets {@link CollectionSinkOptions#MODE}.
     */
    public CollectionSinkBuilder direct() {
        return set(CollectionSinkOptions.MODE, CommitMode.DIRECT);
    }

    /** Sets one of {@link CollectionSinkOptions}. */
    public <T> CollectionSinkBuilder set(ConfigOption<T> option, T value) {
        options.set(option, value);
        return this;
    }

    /** Sets every one of {@link CollectionSinkOptions} that the given configuration has. */
    public CollectionSinkBuilder options(ReadableConfig config) {
        CollectionSinkOptions.all().forEach(option -> copy(config, option));
        return this;
    }

    private <T> void copy(ReadableConfig config, ConfigOption<T> option) {
        config.getOptional(option).ifPresent(value -> options.set(option, value));
    }

    /**
     * Opens the collection once, to find out that it is there, unless it was found already.
     *
     * @throws IOException if it is not, or the warehouse cannot be reached
     * @throws IllegalArgumentException if something is not given, options contradict, or the
     *     collection's commits are in the other mode
     */
    public CollectionSink build() throws IOException {
        if (warehouse == null || namespace == null || name == null) {
            throw new IllegalArgumentException(
                    "a collection sink needs a warehouse and a collection");
        }
        CommitSettings commits = CommitSettings.of(options);
        commits.forOwner("check"); // bad settings fail here rather than in the job
        WarehouseCollection.Found target =
                found != null ? found : WarehouseCollection.find(warehouse, namespace, name);
        Optional<String> contradiction =
                options.get(MODE).contradiction(namespace + "." + name, target.live());
        if (contradiction.isPresent()) {
            throw new IllegalArgumentException(contradiction.get());
        }
        return publication == null
                ? new CollectionSink(
                        target.opener(), target.info(), newIncarnation(), staging(), commits)
                : new PublishingSink(
                        target.opener(),
                        target.info(),
                        newIncarnation(),
                        staging(),
                        commits,
                        publication);
    }

    /** An identity, not a time anyone measures by: this machine's clock will do. */
    private static Ulid newIncarnation() {
        SecureRandom random = new SecureRandom();
        return Ulid.of(System.currentTimeMillis(), random.nextInt(1 << 16), random.nextLong());
    }

    private StageOptions staging() {
        return new StageOptions(
                options.get(MODE),
                options.get(BATCH_BYTES).getBytes(),
                options.get(BATCH_RECORDS),
                options.get(UNIT_BYTES).getBytes(),
                options.get(UNIT_ROWS),
                options.get(QUEUED_BATCHES),
                options.get(ON_ERROR) == OnError.FAIL,
                options.get(STAGING_DIRECTORY));
    }
}
