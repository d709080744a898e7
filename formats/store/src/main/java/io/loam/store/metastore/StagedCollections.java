package io.loam.store.metastore;

import io.loam.codec.schema.CollectionSchema;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;

/**
 * Collections that have no name yet. The database wants one, so they have one that no collection
 * can be given, of an underscore and the id; a rename takes it away.
 */
final class StagedCollections {
    private static final String PREFIX = "_staging-";

    private final ClockTable clock;
    private final NamespaceTable namespaces;
    private final CollectionTable collections;

    StagedCollections(ClockTable clock, NamespaceTable namespaces, CollectionTable collections) {
        this.clock = clock;
        this.namespaces = namespaces;
        this.collections = collections;
    }

    static boolean isStaged(String name) {
        return name.startsWith(PREFIX);
    }

    CollectionInfo create(
            Connection connection, String namespace, CollectionSchema schema, int partitions)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        long namespaceId = namespaces.requireLocked(connection, namespace);
        long id = NamespaceTable.nextId(connection, "collection");
        CollectionInfo created =
                new CollectionInfo(
                        namespaceId,
                        namespace,
                        id,
                        PREFIX + id,
                        CollectionTable.topic(namespaceId, id),
                        partitions,
                        schema,
                        now);
        CollectionTable.insert(connection, created);
        return created;
    }

    List<CollectionInfo> list(Connection connection, String namespace)
            throws SQLException, MetastoreException {
        return collections.all(connection, namespace).stream()
                .filter(info -> isStaged(info.name()))
                .sorted(Comparator.comparingLong(CollectionInfo::id))
                .toList();
    }

    /** Looked at and dropped under one lock, so that what gets its name meanwhile stays. */
    boolean drop(Connection connection, long id) throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        try {
            collections.requireLocked(connection, id);
        } catch (MetastoreException e) {
            if (e.code() == MetastoreException.Code.COLLECTION_NOT_FOUND) {
                return false;
            }
            throw e;
        }
        if (!isStaged(collections.require(connection, id).name())) {
            return false;
        }
        collections.drop(connection, id, now);
        return true;
    }
}
