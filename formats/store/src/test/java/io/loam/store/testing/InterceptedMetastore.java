package io.loam.store.testing;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.metastore.Tag;
import io.loam.store.metastore.TagRequest;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * Passes every operation on, through one method that a test double gives its own turn. An operation
 * is the method's name followed by its key, name or collection id, such as {@code swapPointer
 * collection/1}.
 */
public abstract class InterceptedMetastore implements Metastore {
    /** The operation itself. */
    protected interface Call<T> {
        T run() throws MetastoreException;
    }

    private interface Command {
        void run() throws MetastoreException;
    }

    private final Metastore delegate;

    protected InterceptedMetastore(Metastore delegate) {
        this.delegate = delegate;
    }

    /** Runs an operation, or makes something else of it. */
    protected abstract <T> T call(String operation, Call<T> call) throws MetastoreException;

    private void run(String operation, Command command) throws MetastoreException {
        call(
                operation,
                () -> {
                    command.run();
                    return null;
                });
    }

    @Override
    public long clockMs() throws MetastoreException {
        return call("clockMs", delegate::clockMs);
    }

    @Override
    public long createNamespace(String name) throws MetastoreException {
        return call("createNamespace " + name, () -> delegate.createNamespace(name));
    }

    @Override
    public List<String> namespaces() throws MetastoreException {
        return call("namespaces", delegate::namespaces);
    }

    @Override
    public CollectionInfo createCollection(
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic)
            throws MetastoreException {
        return call(
                "createCollection " + name,
                () -> delegate.createCollection(namespace, name, schema, partitions, topic));
    }

    @Override
    public Optional<CollectionInfo> findCollection(String namespace, String name)
            throws MetastoreException {
        return call("findCollection " + name, () -> delegate.findCollection(namespace, name));
    }

    @Override
    public CollectionInfo collection(long collectionId) throws MetastoreException {
        return call("collection " + collectionId, () -> delegate.collection(collectionId));
    }

    @Override
    public Optional<CollectionHead> head(String namespace, String name) throws MetastoreException {
        return call("head " + name, () -> delegate.head(namespace, name));
    }

    @Override
    public CollectionHead head(long collectionId) throws MetastoreException {
        return call("head " + collectionId, () -> delegate.head(collectionId));
    }

    @Override
    public CollectionInfo stageCollection(String namespace, CollectionSchema schema, int partitions)
            throws MetastoreException {
        return call(
                "stageCollection " + namespace,
                () -> delegate.stageCollection(namespace, schema, partitions));
    }

    @Override
    public List<CollectionInfo> stagedCollections(String namespace) throws MetastoreException {
        return call("stagedCollections " + namespace, () -> delegate.stagedCollections(namespace));
    }

    @Override
    public boolean dropStagedCollection(long collectionId) throws MetastoreException {
        return call(
                "dropStagedCollection " + collectionId,
                () -> delegate.dropStagedCollection(collectionId));
    }

    @Override
    public List<CollectionInfo> collections(String namespace) throws MetastoreException {
        return call("collections " + namespace, () -> delegate.collections(namespace));
    }

    @Override
    public CollectionInfo updateSchema(
            long collectionId, long expectedVersion, CollectionSchema next)
            throws MetastoreException {
        return call(
                "updateSchema " + collectionId,
                () -> delegate.updateSchema(collectionId, expectedVersion, next));
    }

    @Override
    public void dropNamespace(String name, boolean cascade) throws MetastoreException {
        run("dropNamespace " + name, () -> delegate.dropNamespace(name, cascade));
    }

    @Override
    public CollectionInfo renameCollection(long collectionId, String name, @Nullable Long replaced)
            throws MetastoreException {
        return call(
                "renameCollection " + collectionId,
                () -> delegate.renameCollection(collectionId, name, replaced));
    }

    @Override
    public void dropCollection(long collectionId) throws MetastoreException {
        run("dropCollection " + collectionId, () -> delegate.dropCollection(collectionId));
    }

    @Override
    public List<RetiredPath> retiredPaths() throws MetastoreException {
        return call("retiredPaths", delegate::retiredPaths);
    }

    @Override
    public void forgetRetiredPath(String path) throws MetastoreException {
        run("forgetRetiredPath " + path, () -> delegate.forgetRetiredPath(path));
    }

    @Override
    public Tag createTag(TagRequest request) throws MetastoreException {
        return call(
                "createTag " + request.collectionId() + " " + request.name(),
                () -> delegate.createTag(request));
    }

    @Override
    public List<Tag> tags(long collectionId) throws MetastoreException {
        return call("tags " + collectionId, () -> delegate.tags(collectionId));
    }

    @Override
    public void replaceTagged(long collectionId, String name, String from, String to)
            throws MetastoreException {
        run(
                "replaceTagged " + collectionId + " " + name,
                () -> delegate.replaceTagged(collectionId, name, from, to));
    }

    @Override
    public void deleteTag(long collectionId, String name) throws MetastoreException {
        run("deleteTag " + collectionId + " " + name, () -> delegate.deleteTag(collectionId, name));
    }

    @Override
    public List<Tag> expireTags(long collectionId) throws MetastoreException {
        return call("expireTags " + collectionId, () -> delegate.expireTags(collectionId));
    }

    @Override
    public List<Tag> releaseVersions(long collectionId, long below) throws MetastoreException {
        return call(
                "releaseVersions " + collectionId,
                () -> delegate.releaseVersions(collectionId, below));
    }

    @Override
    public Optional<Pointer> pointer(long namespaceId, String key) throws MetastoreException {
        return call("pointer " + key, () -> delegate.pointer(namespaceId, key));
    }

    @Override
    public Pointer swapPointer(PointerSwap swap) throws MetastoreException {
        return call("swapPointer " + swap.key(), () -> delegate.swapPointer(swap));
    }

    @Override
    public Lease acquireLease(String key, String owner, long ttlMs) throws MetastoreException {
        return call("acquireLease " + key, () -> delegate.acquireLease(key, owner, ttlMs));
    }

    @Override
    public Lease takeOverLease(String key, String owner, long ttlMs) throws MetastoreException {
        return call("takeOverLease " + key, () -> delegate.takeOverLease(key, owner, ttlMs));
    }

    @Override
    public Lease renewLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return call("renewLease " + key, () -> delegate.renewLease(key, owner, epoch, ttlMs));
    }

    @Override
    public Lease reacquireLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return call(
                "reacquireLease " + key, () -> delegate.reacquireLease(key, owner, epoch, ttlMs));
    }

    @Override
    public void releaseLease(String key, String owner, long epoch) throws MetastoreException {
        run("releaseLease " + key, () -> delegate.releaseLease(key, owner, epoch));
    }

    @Override
    public Optional<Lease> lease(String key) throws MetastoreException {
        return call("lease " + key, () -> delegate.lease(key));
    }

    @Override
    public String bindTopic(long collectionId, String topicId, boolean replace)
            throws MetastoreException {
        return call(
                "bindTopic " + collectionId,
                () -> delegate.bindTopic(collectionId, topicId, replace));
    }

    @Override
    public long rowIdBase(long collectionId, Ulid incarnation, long arena, long floor)
            throws MetastoreException {
        return call(
                "rowIdBase " + collectionId,
                () -> delegate.rowIdBase(collectionId, incarnation, arena, floor));
    }

    @Override
    public void close() throws MetastoreException {
        delegate.close();
    }
}
