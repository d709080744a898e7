package io.loam.flink.connector;

import io.loam.store.Warehouse;
import io.loam.store.metastore.MetastoreException;

import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;

/**
 * How a collection that was filled out of sight gets its name, or goes.
 *
 * @param name the one it gets
 * @param replaced the collection that has the name now, and is dropped in the same moment; null if
 *     none has it
 * @param yields whether it is no failure if another collection got the name meanwhile
 */
@Internal
public record CollectionPublication(
        WarehouseCollection collection, String name, @Nullable Long replaced, boolean yields)
        implements Serializable {
    private static final Logger LOG = LoggerFactory.getLogger(CollectionPublication.class);
    private static final long serialVersionUID = 1L;

    /**
     * Gives the name, unless it did before.
     *
     * @throws SuppressRestartsException if that will never work
     */
    void publish() throws IOException {
        try (Warehouse opened = Warehouse.open(collection.warehouse())) {
            opened.metastore().renameCollection(collection.collectionId(), name, replaced);
            LOG.info("collection {} is {} now", collection.collectionId(), name);
        } catch (MetastoreException e) {
            switch (e.code()) {
                case NAME_TAKEN -> {
                    if (!yields) {
                        throw refused("another one got the name while this one was written", e);
                    }
                    LOG.info("collection {} is not needed: {}", name, e.getMessage());
                }
                case COLLECTION_PROTECTED -> throw refused("the one it replaces must stay", e);
                case COLLECTION_NOT_FOUND ->
                        throw refused("what was written was dropped before it had a name", e);
                default -> throw e;
            }
        }
    }

    private SuppressRestartsException refused(String why, MetastoreException cause) {
        return new SuppressRestartsException(
                new IOException(
                        "collection "
                                + name
                                + " is not published: "
                                + why
                                + " ("
                                + cause.getMessage()
                                + "); nothing has changed, run the statement again",
                        cause));
    }

    /**
     * Drops the collection if it has no name, and never fails: Flink's job manager ends itself, and
     * all other jobs with it, when a hook of a job does. What stays is dropped by garbage
     * collection. For the same reason it tries but once, as the job manager waits for it.
     */
    public void discard() {
        Map<String, String> properties = new HashMap<>(collection.warehouse().properties());
        properties.put("retry.attempts", "1");
        try (Warehouse opened = Warehouse.open(collection.warehouse().withProperties(properties))) {
            if (opened.metastore().dropStagedCollection(collection.collectionId())) {
                LOG.info(
                        "dropped collection {}, which did not become {}",
                        collection.collectionId(),
                        name);
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.warn(
                    "collection {}, which did not become {}, is left to garbage collection",
                    collection.collectionId(),
                    name,
                    e);
        }
    }
}
