package io.loam.store.metastore;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.retry.Retry;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * Tries reads and idempotent commands again when nobody knows what became of them. Commands that
 * would read their own effect as somebody else's are passed through: creating, dropping and
 * deleting, for which a person sees the error, and the swap of a pointer, whose caller knows how to
 * tell.
 */
public final class RetryingMetastore implements Metastore {
    private interface Call<T> {
        T run() throws MetastoreException;
    }

    private final Metastore delegate;
    private final Retry retry;

    public RetryingMetastore(Metastore delegate, Retry retry) {
        this.delegate = delegate;
        this.retry = retry;
    }

    private <T> T call(String operation, Call<T> call) throws MetastoreException {
        Retry.Attempts attempts = retry.begin(operation);
        while (true) {
            try {
                return call.run();
            } catch (MetastoreException e) {
                if (!e.code().unknownOutcome()) {
                    throw e;
                }
                if (!attempts.again(e)) {
                    throw new MetastoreException(e.code(), attempts.summary(e), e);
                }
            }
        }
    }

    @Override
    public long clockMs() throws MetastoreException {
        return call("reading the metastore's clock", delegate::clockMs);
    }

    @Override
    public long createNamespace(String name) throws MetastoreException {
        return delegate.createNamespace(name);
    }

    @Override
    public List<String> namespaces() throws MetastoreException {
        return call("listing namespaces", delegate::namespaces);
    }

    @Override
    public void dropNamespace(String name, boolean cascade) throws MetastoreException {
        delegate.dropNamespace(name, cascade);
    }

    @Override
    public CollectionInfo createCollection(
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic)
            throws MetastoreException {
        return delegate.createCollection(namespace, name, schema, partitions, topic);
    }

    @Override
    public Optional<CollectionInfo> findCollection(String namespace, String name)
            throws MetastoreException {
        return call(
                "reading collection " + namespace + "." + name,
                () -> delegate.findCollection(namespace, name));
    }

    @Override
    public CollectionInfo collection(long collectionId) throws MetastoreException {
        return call("reading collection " + collectionId, () -> delegate.collection(collectionId));
    }

    @Override
    public Optional<CollectionHead> head(String namespace, String name) throws MetastoreException {
        return call(
                "reading the head of collection " + namespace + "." + name,
                () -> delegate.head(namespace, name));
    }

    @Override
    public CollectionHead head(long collectionId) throws MetastoreException {
        return call(
                "reading the head of collection " + collectionId,
                () -> delegate.head(collectionId));
    }

    @Override
    public CollectionInfo stageCollection(String namespace, CollectionSchema schema, int partitions)
            throws MetastoreException {
        return delegate.stageCollection(namespace, schema, partitions);
    }

    @Override
    public List<CollectionInfo> stagedCollections(String namespace) throws MetastoreException {
        return call(
                "listing the staged collections of " + namespace,
                () -> delegate.stagedCollections(namespace));
    }

    /** Asked again after it was done, it says false; nobody takes that for a name. */
    @Override
    public boolean dropStagedCollection(long collectionId) throws MetastoreException {
        return call(
                "dropping the staged collection " + collectionId,
                () -> delegate.dropStagedCollection(collectionId));
    }

    @Override
    public List<CollectionInfo> collections(String namespace) throws MetastoreException {
        return call(
                "listing the collections of " + namespace, () -> delegate.collections(namespace));
    }

    @Override
    public CollectionInfo updateSchema(
            long collectionId, long expectedVersion, CollectionSchema next)
            throws MetastoreException {
        return call(
                "updating the schema of collection " + collectionId,
                () -> delegate.updateSchema(collectionId, expectedVersion, next));
    }

    @Override
    public CollectionInfo renameCollection(long collectionId, String name, @Nullable Long replaced)
            throws MetastoreException {
        return call(
                "renaming collection " + collectionId + " to " + name,
                () -> delegate.renameCollection(collectionId, name, replaced));
    }

    @Override
    public void dropCollection(long collectionId) throws MetastoreException {
        delegate.dropCollection(collectionId);
    }

    @Override
    public List<RetiredPath> retiredPaths() throws MetastoreException {
        return call("listing retired paths", delegate::retiredPaths);
    }

    @Override
    public void forgetRetiredPath(String path) throws MetastoreException {
        call(
                "forgetting the retired path " + path,
                () -> {
                    delegate.forgetRetiredPath(path);
                    return null;
                });
    }

    @Override
    public Tag createTag(TagRequest request) throws MetastoreException {
        return delegate.createTag(request);
    }

    @Override
    public List<Tag> tags(long collectionId) throws MetastoreException {
        return call(
                "listing tags of collection " + collectionId, () -> delegate.tags(collectionId));
    }

    @Override
    public void replaceTagged(long collectionId, String name, String from, String to)
            throws MetastoreException {
        call(
                "rewriting tag " + name + " of collection " + collectionId,
                () -> {
                    delegate.replaceTagged(collectionId, name, from, to);
                    return null;
                });
    }

    @Override
    public void deleteTag(long collectionId, String name) throws MetastoreException {
        delegate.deleteTag(collectionId, name);
    }

    /** Tags removed by an attempt without an answer are missing in the last one's. */
    @Override
    public List<Tag> expireTags(long collectionId) throws MetastoreException {
        return call(
                "expiring tags of collection " + collectionId,
                () -> delegate.expireTags(collectionId));
    }

    @Override
    public List<Tag> releaseVersions(long collectionId, long below) throws MetastoreException {
        return call(
                "releasing versions of collection " + collectionId,
                () -> delegate.releaseVersions(collectionId, below));
    }

    @Override
    public Optional<Pointer> pointer(long namespaceId, String key) throws MetastoreException {
        return call("reading the pointer " + key, () -> delegate.pointer(namespaceId, key));
    }

    @Override
    public Pointer swapPointer(PointerSwap swap) throws MetastoreException {
        return delegate.swapPointer(swap);
    }

    @Override
    public Lease acquireLease(String key, String owner, long ttlMs) throws MetastoreException {
        return call("acquiring lease " + key, () -> delegate.acquireLease(key, owner, ttlMs));
    }

    /** The epoch may rise more than once. */
    @Override
    public Lease takeOverLease(String key, String owner, long ttlMs) throws MetastoreException {
        return call("taking over lease " + key, () -> delegate.takeOverLease(key, owner, ttlMs));
    }

    @Override
    public Lease renewLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return call("renewing lease " + key, () -> delegate.renewLease(key, owner, epoch, ttlMs));
    }

    @Override
    public Lease reacquireLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return call(
                "extending lease " + key, () -> delegate.reacquireLease(key, owner, epoch, ttlMs));
    }

    @Override
    public void releaseLease(String key, String owner, long epoch) throws MetastoreException {
        call(
                "releasing lease " + key,
                () -> {
                    delegate.releaseLease(key, owner, epoch);
                    return null;
                });
    }

    @Override
    public Optional<Lease> lease(String key) throws MetastoreException {
        return call("reading lease " + key, () -> delegate.lease(key));
    }

    @Override
    public long rowIdBase(long collectionId, Ulid incarnation, long arena, long floor)
            throws MetastoreException {
        return call(
                "getting a row-id base of collection " + collectionId,
                () -> delegate.rowIdBase(collectionId, incarnation, arena, floor));
    }

    @Override
    public String bindTopic(long collectionId, String topicId, boolean replace)
            throws MetastoreException {
        return call(
                "binding the topic of collection " + collectionId,
                () -> delegate.bindTopic(collectionId, topicId, replace));
    }

    @Override
    public void close() throws MetastoreException {
        delegate.close();
    }
}
