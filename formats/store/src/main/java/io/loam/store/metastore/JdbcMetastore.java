package io.loam.store.metastore;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;

import javax.annotation.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The metastore in a relational database: SQLite (one file, one host) or PostgreSQL.
 *
 * <p>Every command is one transaction that locks the rows its checks look at: a writing SQLite
 * transaction begins IMMEDIATE and is alone, PostgreSQL gets SELECT ... FOR UPDATE under READ
 * COMMITTED. Rows are locked in the order clock, namespace, collection, lease, pointer, row-id
 * floor, id sequence, so that commands do not deadlock. Every read is one statement, hence of one
 * state.
 *
 * <p>{@code docs/formats/metastore.md} lists the tables.
 */
public final class JdbcMetastore implements Metastore {
    private final Transactions transactions;
    private final ClockTable clock;
    private final NamespaceTable namespaces;
    private final CollectionTable collections;
    private final StagedCollections staged;
    private final LeaseTable leases;
    private final PointerTable pointers;
    private final RowIdBaseTable rowIdBases;
    private final TagTable tags;

    private JdbcMetastore(Dialect dialect, Transactions transactions) {
        this.transactions = transactions;
        this.clock = new ClockTable(dialect);
        this.namespaces = new NamespaceTable(dialect);
        this.collections = new CollectionTable(dialect, clock, namespaces);
        this.staged = new StagedCollections(clock, namespaces, collections);
        this.leases = new LeaseTable(dialect, clock);
        this.pointers = new PointerTable(dialect, clock, leases);
        this.rowIdBases = new RowIdBaseTable(dialect);
        this.tags = new TagTable(clock, collections, pointers);
    }

    /**
     * Opens a metastore and brings its tables up to date. A missing SQLite file is created, a
     * missing PostgreSQL database is not.
     *
     * @param url {@code jdbc:sqlite:<file>} or {@code jdbc:postgresql://<host>/<database>}
     * @throws MetastoreException INVALID_ARGUMENT for another URL or a database of a newer release,
     *     UNAVAILABLE if it cannot be reached
     */
    public static JdbcMetastore open(String url, @Nullable String user, @Nullable String password)
            throws MetastoreException {
        Dialect dialect = Dialect.of(url);
        Transactions transactions = new Transactions(dialect, url, user, password);
        boolean opened = false;
        try {
            new Migrations(dialect, transactions).run();
            opened = true;
            return new JdbcMetastore(dialect, transactions);
        } finally {
            if (!opened) {
                transactions.close();
            }
        }
    }

    @Override
    public long clockMs() throws MetastoreException {
        return transactions.write(clock::stamp);
    }

    @Override
    public long createNamespace(String name) throws MetastoreException {
        Arguments.namespace(name);
        return transactions.write(c -> namespaces.create(c, name));
    }

    @Override
    public List<String> namespaces() throws MetastoreException {
        return transactions.read(namespaces::names);
    }

    @Override
    public void dropNamespace(String name, boolean cascade) throws MetastoreException {
        if (name.equals(NamespaceTable.DEFAULT)) {
            throw Arguments.invalid("the namespace " + name + " is always there");
        }
        if (!Arguments.storable(name)) {
            throw NamespaceTable.missing(name);
        }
        transactions.write(
                c -> {
                    collections.dropNamespace(c, name, cascade);
                    return null;
                });
    }

    @Override
    public CollectionInfo createCollection(
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic)
            throws MetastoreException {
        StoredSchemas.requireCreatable(name, partitions, schema);
        Arguments.requireStorable(name);
        Arguments.requireStorable(namespace);
        if (topic != null) {
            Arguments.topic(topic);
        }
        return transactions.write(
                c -> collections.create(c, namespace, name, schema, partitions, topic));
    }

    @Override
    public CollectionInfo stageCollection(String namespace, CollectionSchema schema, int partitions)
            throws MetastoreException {
        StoredSchemas.requireCreatable("staged", partitions, schema);
        Arguments.requireStorable(namespace);
        return transactions.write(c -> staged.create(c, namespace, schema, partitions));
    }

    @Override
    public List<CollectionInfo> stagedCollections(String namespace) throws MetastoreException {
        return transactions.read(c -> staged.list(c, namespace));
    }

    @Override
    public boolean dropStagedCollection(long collectionId) throws MetastoreException {
        return transactions.write(c -> staged.drop(c, collectionId));
    }

    @Override
    public Optional<CollectionInfo> findCollection(String namespace, String name)
            throws MetastoreException {
        return isFindable(namespace, name)
                ? transactions.read(c -> collections.find(c, namespace, name))
                : Optional.empty();
    }

    @Override
    public CollectionInfo collection(long collectionId) throws MetastoreException {
        return transactions.read(c -> collections.require(c, collectionId));
    }

    @Override
    public Optional<CollectionHead> head(String namespace, String name) throws MetastoreException {
        return isFindable(namespace, name)
                ? transactions.read(c -> collections.head(c, namespace, name))
                : Optional.empty();
    }

    private static boolean isFindable(String namespace, String name) {
        return Arguments.storable(namespace)
                && Arguments.storable(name)
                && !StagedCollections.isStaged(name);
    }

    @Override
    public CollectionHead head(long collectionId) throws MetastoreException {
        return transactions.read(c -> collections.head(c, collectionId));
    }

    @Override
    public List<CollectionInfo> collections(String namespace) throws MetastoreException {
        return transactions.read(c -> collections.list(c, namespace));
    }

    @Override
    public CollectionInfo updateSchema(
            long collectionId, long expectedVersion, CollectionSchema next)
            throws MetastoreException {
        return transactions.write(
                c -> collections.updateSchema(c, collectionId, expectedVersion, next));
    }

    @Override
    public CollectionInfo renameCollection(long collectionId, String name, @Nullable Long replaced)
            throws MetastoreException {
        StoredSchemas.requireName(name);
        Arguments.requireStorable(name);
        return transactions.write(c -> collections.rename(c, collectionId, name, replaced));
    }

    @Override
    public void dropCollection(long collectionId) throws MetastoreException {
        transactions.write(
                c -> {
                    collections.drop(c, collectionId);
                    return null;
                });
    }

    @Override
    public List<RetiredPath> retiredPaths() throws MetastoreException {
        return transactions.read(JdbcMetastore::retired);
    }

    private static List<RetiredPath> retired(Connection connection) throws SQLException {
        List<RetiredPath> paths = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(
                                "SELECT path, retired_at_ms FROM loam_retired_path"
                                        + " ORDER BY retired_at_ms, path")) {
            while (rows.next()) {
                paths.add(new RetiredPath(rows.getString(1), rows.getLong(2)));
            }
        }
        return paths;
    }

    @Override
    public void forgetRetiredPath(String path) throws MetastoreException {
        transactions.write(
                c -> {
                    try (PreparedStatement delete =
                            c.prepareStatement("DELETE FROM loam_retired_path WHERE path = ?")) {
                        delete.setString(1, path);
                        return delete.executeUpdate();
                    }
                });
    }

    @Override
    public Tag createTag(TagRequest request) throws MetastoreException {
        Arguments.tag(request);
        return transactions.write(c -> tags.create(c, request));
    }

    @Override
    public List<Tag> tags(long collectionId) throws MetastoreException {
        return transactions.read(c -> TagTable.list(c, collectionId));
    }

    @Override
    public void replaceTagged(long collectionId, String name, String from, String to)
            throws MetastoreException {
        transactions.write(
                c -> {
                    tags.replace(c, collectionId, name, from, to);
                    return null;
                });
    }

    @Override
    public void deleteTag(long collectionId, String name) throws MetastoreException {
        transactions.write(
                c -> {
                    tags.delete(c, collectionId, name);
                    return null;
                });
    }

    @Override
    public List<Tag> expireTags(long collectionId) throws MetastoreException {
        return transactions.write(c -> tags.expire(c, collectionId));
    }

    @Override
    public List<Tag> releaseVersions(long collectionId, long below) throws MetastoreException {
        return transactions.write(c -> tags.release(c, collectionId, below));
    }

    @Override
    public Optional<Pointer> pointer(long namespaceId, String key) throws MetastoreException {
        return transactions.read(c -> pointers.find(c, namespaceId, key));
    }

    @Override
    public Pointer swapPointer(PointerSwap swap) throws MetastoreException {
        return transactions.write(c -> pointers.swap(c, swap));
    }

    @Override
    public Lease acquireLease(String key, String owner, long ttlMs) throws MetastoreException {
        checkLease(key, owner, ttlMs);
        return transactions.write(c -> leases.acquire(c, key, owner, ttlMs));
    }

    @Override
    public Lease takeOverLease(String key, String owner, long ttlMs) throws MetastoreException {
        checkLease(key, owner, ttlMs);
        return transactions.write(c -> leases.takeOver(c, key, owner, ttlMs));
    }

    @Override
    public Lease renewLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        checkLease(key, owner, ttlMs);
        return transactions.write(c -> leases.extend(c, key, owner, epoch, ttlMs, false));
    }

    @Override
    public Lease reacquireLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        checkLease(key, owner, ttlMs);
        return transactions.write(c -> leases.extend(c, key, owner, epoch, ttlMs, true));
    }

    @Override
    public void releaseLease(String key, String owner, long epoch) throws MetastoreException {
        transactions.write(
                c -> {
                    leases.release(c, key, owner, epoch);
                    return null;
                });
    }

    @Override
    public Optional<Lease> lease(String key) throws MetastoreException {
        return transactions.read(c -> leases.find(c, key));
    }

    private static void checkLease(String key, String owner, long ttlMs) throws MetastoreException {
        Arguments.key("a lease's key", key);
        Arguments.length("a lease's owner", owner, Arguments.MAX_KEY_BYTES);
        Arguments.ttl(ttlMs);
    }

    @Override
    public long rowIdBase(long collectionId, Ulid incarnation, long arena, long floor)
            throws MetastoreException {
        return transactions.write(
                c -> {
                    collections.requireLocked(c, collectionId);
                    return rowIdBases.base(c, collectionId, incarnation, arena, floor);
                });
    }

    @Override
    public String bindTopic(long collectionId, String topicId, boolean replace)
            throws MetastoreException {
        Arguments.key("a topic's id", topicId);
        return transactions.write(
                c -> {
                    collections.requireLocked(c, collectionId);
                    return TopicTable.bind(c, collectionId, topicId, replace);
                });
    }

    @Override
    public void close() {
        transactions.close();
    }
}
