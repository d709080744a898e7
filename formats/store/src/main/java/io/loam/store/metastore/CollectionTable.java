package io.loam.store.metastore;

import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.metastore.MetastoreException.Code;

import javax.annotation.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Collections and their schemas. */
final class CollectionTable {
    private static final String COLUMNS =
            "c.namespace_id, n.name, c.id, c.name, c.topic, c.partitions, c.schema_json,"
                    + " c.created_at_ms";
    private static final String FROM =
            " FROM loam_collection c JOIN loam_namespace n ON n.id = c.namespace_id";
    private static final String SELECT = "SELECT " + COLUMNS + FROM;
    private static final String BY_NAME = " WHERE n.name = ? AND c.name = ?";
    private static final String BY_ID = " WHERE c.id = ?";

    private final ClockTable clock;
    private final NamespaceTable namespaces;
    private final String lock;
    private final String selectHead;

    CollectionTable(Dialect dialect, ClockTable clock, NamespaceTable namespaces) {
        this.clock = clock;
        this.namespaces = namespaces;
        this.lock = "SELECT 1 FROM loam_collection WHERE id = ?" + dialect.forUpdate();
        this.selectHead =
                "SELECT "
                        + COLUMNS
                        + ", p.version, p.value, (SELECT "
                        + ClockTable.latest(dialect)
                        + " FROM loam_clock)"
                        + FROM
                        + " LEFT JOIN loam_pointer p ON p.namespace_id = c.namespace_id"
                        + " AND p.pointer_key = 'collection/' || c.id";
    }

    CollectionInfo create(
            Connection connection,
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        long namespaceId = namespaces.requireLocked(connection, namespace);
        Optional<CollectionInfo> present = find(connection, namespace, name);
        if (present.isPresent()) {
            throw taken(present.get(), schema, partitions, topic);
        }
        long id = NamespaceTable.nextId(connection, "collection");
        String ownTopic = topic != null ? topic : topic(namespaceId, id);
        CollectionInfo created =
                new CollectionInfo(
                        namespaceId, namespace, id, name, ownTopic, partitions, schema, now);
        insert(connection, created);
        return created;
    }

    static String topic(long namespaceId, long id) {
        return "loam." + namespaceId + "." + id;
    }

    private static MetastoreException taken(
            CollectionInfo present,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic) {
        boolean same =
                present.schema().equals(schema)
                        && present.partitions() == partitions
                        && (topic == null || topic.equals(present.topic()));
        String where = present.namespace() + "." + present.name() + ", id " + present.id();
        return same
                ? new MetastoreException(
                        Code.COLLECTION_EXISTS, "this very collection exists already: " + where)
                : new MetastoreException(
                        Code.NAME_TAKEN,
                        "a collection with another schema, topic or number of partitions has this"
                                + " name: "
                                + where);
    }

    static void insert(Connection connection, CollectionInfo info) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_collection (namespace_id, id, name, topic, partitions,"
                                + " schema_version, schema_json, created_at_ms)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
            insert.setLong(1, info.namespaceId());
            insert.setLong(2, info.id());
            insert.setString(3, info.name());
            insert.setString(4, info.topic());
            insert.setInt(5, info.partitions());
            insert.setLong(6, info.schema().version());
            insert.setString(7, StoredSchemas.print(info.schema()));
            insert.setLong(8, info.createdAtMs());
            insert.executeUpdate();
        }
    }

    Optional<CollectionInfo> find(Connection connection, String namespace, String name)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SELECT + BY_NAME)) {
            query.setString(1, namespace);
            query.setString(2, name);
            return one(query);
        }
    }

    CollectionInfo require(Connection connection, long id) throws SQLException, MetastoreException {
        try (PreparedStatement query = connection.prepareStatement(SELECT + BY_ID)) {
            query.setLong(1, id);
            return one(query).orElseThrow(() -> missing(id));
        }
    }

    List<CollectionInfo> list(Connection connection, String namespace)
            throws SQLException, MetastoreException {
        return all(connection, namespace).stream()
                .filter(info -> !StagedCollections.isStaged(info.name()))
                .toList();
    }

    /** The same with those that have no name yet. */
    List<CollectionInfo> all(Connection connection, String namespace)
            throws SQLException, MetastoreException {
        namespaces.require(connection, namespace);
        List<CollectionInfo> found = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(SELECT + " WHERE n.name = ?")) {
            query.setString(1, namespace);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(info(rows));
                }
            }
        }
        found.sort(Comparator.comparing(CollectionInfo::name));
        return found;
    }

    Optional<CollectionHead> head(Connection connection, String namespace, String name)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(selectHead + BY_NAME)) {
            query.setString(1, namespace);
            query.setString(2, name);
            return oneHead(query);
        }
    }

    CollectionHead head(Connection connection, long id) throws SQLException, MetastoreException {
        try (PreparedStatement query = connection.prepareStatement(selectHead + BY_ID)) {
            query.setLong(1, id);
            return oneHead(query).orElseThrow(() -> missing(id));
        }
    }

    CollectionInfo updateSchema(
            Connection connection, long id, long expectedVersion, CollectionSchema next)
            throws SQLException, MetastoreException {
        requireLocked(connection, id);
        CollectionInfo current = require(connection, id);
        long version = current.schema().version();
        if (version == expectedVersion + 1 && current.schema().equals(next)) {
            return current;
        }
        if (version != expectedVersion) {
            throw new MetastoreException(
                    Code.SCHEMA_VERSION_MISMATCH,
                    "the schema of collection "
                            + id
                            + " has version "
                            + version
                            + ", not the expected "
                            + expectedVersion);
        }
        StoredSchemas.requireEvolution(current.schema(), next);
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_collection SET schema_version = ?, schema_json = ?"
                                + " WHERE id = ?")) {
            update.setLong(1, next.version());
            update.setString(2, StoredSchemas.print(next));
            update.setLong(3, id);
            update.executeUpdate();
        }
        return require(connection, id);
    }

    CollectionInfo rename(Connection connection, long id, String name, @Nullable Long replaced)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        namespaces.requireLocked(connection, require(connection, id).namespace());
        requireLocked(connection, id);
        CollectionInfo info = require(connection, id);
        if (info.name().equals(name)) {
            return info;
        }
        Optional<CollectionInfo> present = find(connection, info.namespace(), name);
        if (present.isPresent()) {
            if (replaced == null || replaced != present.get().id()) {
                throw new MetastoreException(
                        Code.NAME_TAKEN,
                        "collection "
                                + info.namespace()
                                + "."
                                + info.name()
                                + " cannot be renamed: another one, id "
                                + present.get().id()
                                + ", has the name "
                                + name);
            }
            drop(connection, replaced, now);
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE loam_collection SET name = ? WHERE id = ?")) {
            update.setString(1, name);
            update.setLong(2, id);
            update.executeUpdate();
        }
        return require(connection, id);
    }

    /** Drops a namespace, and with {@code cascade} its collections. */
    void dropNamespace(Connection connection, String name, boolean cascade)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        long namespace = namespaces.requireLocked(connection, name);
        List<CollectionInfo> present = list(connection, name);
        if (!cascade && !present.isEmpty()) {
            throw new MetastoreException(
                    Code.NAMESPACE_NOT_EMPTY,
                    "namespace "
                            + name
                            + " has "
                            + present.size()
                            + " collections, among them "
                            + present.get(0).name()
                            + "; drop them first, or with it");
        }
        for (CollectionInfo info : all(connection, name)) {
            drop(connection, info.id(), now);
        }
        NamespaceTable.drop(connection, namespace);
    }

    /** Drops the collection and what hangs on it; its prefixes are left to garbage collection. */
    void drop(Connection connection, long id) throws SQLException, MetastoreException {
        drop(connection, id, clock.stamp(connection));
    }

    void drop(Connection connection, long id, long now) throws SQLException, MetastoreException {
        requireLocked(connection, id);
        CollectionInfo info = require(connection, id);
        TagTable.requireUnprotected(TagTable.list(connection, id), info, now);
        CollectionPaths paths = new CollectionPaths(info.namespaceId(), id);
        for (String prefix : List.of(paths.root(), paths.keyIndex())) {
            try (PreparedStatement retire =
                    connection.prepareStatement(
                            "INSERT INTO loam_retired_path (path, retired_at_ms)"
                                    + " VALUES (?, ?)")) {
                retire.setString(1, prefix);
                retire.setLong(2, now);
                retire.executeUpdate();
            }
        }
        try (PreparedStatement pointer =
                connection.prepareStatement(
                        "DELETE FROM loam_pointer WHERE namespace_id = ? AND pointer_key = ?")) {
            pointer.setLong(1, info.namespaceId());
            pointer.setString(2, paths.pointerKey());
            pointer.executeUpdate();
        }
        delete(connection, "DELETE FROM loam_row_id_base WHERE collection_id = ?", id);
        delete(connection, "DELETE FROM loam_row_id_floor WHERE collection_id = ?", id);
        delete(connection, "DELETE FROM loam_topic WHERE collection_id = ?", id);
        delete(connection, "DELETE FROM loam_tag WHERE collection_id = ?", id);
        delete(connection, "DELETE FROM loam_version_floor WHERE collection_id = ?", id);
        delete(connection, "DELETE FROM loam_collection WHERE id = ?", id);
    }

    private static void delete(Connection connection, String sql, long id) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            delete.setLong(1, id);
            delete.executeUpdate();
        }
    }

    /** Locks the row, so that what is read of it next stays so until the commit. */
    void requireLocked(Connection connection, long id) throws SQLException, MetastoreException {
        try (PreparedStatement query = connection.prepareStatement(lock)) {
            query.setLong(1, id);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw missing(id);
                }
            }
        }
    }

    private static MetastoreException missing(long id) {
        return new MetastoreException(Code.COLLECTION_NOT_FOUND, "there is no collection " + id);
    }

    private static Optional<CollectionInfo> one(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            return row.next() ? Optional.of(info(row)) : Optional.empty();
        }
    }

    private static Optional<CollectionHead> oneHead(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            if (!row.next()) {
                return Optional.empty();
            }
            String value = row.getString(10);
            Pointer pointer = value == null ? null : new Pointer(row.getLong(9), value);
            return Optional.of(new CollectionHead(info(row), pointer, row.getLong(11)));
        }
    }

    private static CollectionInfo info(ResultSet row) throws SQLException {
        return new CollectionInfo(
                row.getLong(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getInt(6),
                StoredSchemas.parse(row.getLong(3), row.getString(7)),
                row.getLong(8));
    }
}
