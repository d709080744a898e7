package io.loam.store.metastore;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * The one mutable store: everything else is create-only objects. All reads are linearizable. Every
 * method throws {@link MetastoreException}; methods may be called from any thread.
 */
public interface Metastore extends AutoCloseable {

    /** ms since the epoch by the database's wall clock; never goes back. */
    long clockMs() throws MetastoreException;

    /**
     * Creates a namespace, or fails with NAMESPACE_EXISTS. {@code default} (id 1) is always there.
     */
    long createNamespace(String name) throws MetastoreException;

    /** Names, ordered. */
    List<String> namespaces() throws MetastoreException;

    /**
     * Drops a namespace; its id is not used again.
     *
     * @param cascade whether its collections are dropped with it, all or none; those without a name
     *     are in any case
     * @throws MetastoreException NAMESPACE_NOT_FOUND, NAMESPACE_NOT_EMPTY without {@code cascade},
     *     COLLECTION_PROTECTED, INVALID_ARGUMENT for {@code default}
     */
    void dropNamespace(String name, boolean cascade) throws MetastoreException;

    /**
     * Creates a collection; its schema's version must be 1.
     *
     * @param topic null for {@code loam.<namespace id>.<collection id>}
     * @throws MetastoreException COLLECTION_EXISTS if the very same one is there, NAME_TAKEN if
     *     another one has the name, INVALID_ARGUMENT, NAMESPACE_NOT_FOUND
     */
    CollectionInfo createCollection(
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic)
            throws MetastoreException;

    /**
     * Creates a collection without a name, for something that is made out of sight: none but {@link
     * #stagedCollections} lists it, and it is found by its id alone. {@link #renameCollection}
     * gives it a name, once and for all.
     *
     * @throws MetastoreException INVALID_ARGUMENT, NAMESPACE_NOT_FOUND
     */
    CollectionInfo stageCollection(String namespace, CollectionSchema schema, int partitions)
            throws MetastoreException;

    /** Collections of a namespace that have no name yet, by id. */
    List<CollectionInfo> stagedCollections(String namespace) throws MetastoreException;

    /**
     * Drops a collection as {@link #dropCollection} does, if it has no name yet.
     *
     * @return false if it has one, or is not there
     */
    boolean dropStagedCollection(long collectionId) throws MetastoreException;

    Optional<CollectionInfo> findCollection(String namespace, String name)
            throws MetastoreException;

    /** By id, or COLLECTION_NOT_FOUND. */
    CollectionInfo collection(long collectionId) throws MetastoreException;

    /** A collection, its pointer and the clock, all of one moment; one round trip. */
    Optional<CollectionHead> head(String namespace, String name) throws MetastoreException;

    /** The same by id, or COLLECTION_NOT_FOUND. */
    CollectionHead head(long collectionId) throws MetastoreException;

    /** Of one namespace, by name; without those that have none yet. */
    List<CollectionInfo> collections(String namespace) throws MetastoreException;

    /** Replaces the schema additively: INCOMPATIBLE_SCHEMA, SCHEMA_VERSION_MISMATCH. */
    CollectionInfo updateSchema(long collectionId, long expectedVersion, CollectionSchema next)
            throws MetastoreException;

    /**
     * Gives a collection another name in its namespace. Nothing else changes: whoever found it
     * before knows it by its id. One that has the name already stays as it is.
     *
     * @param replaced the one collection that may have the name; it is dropped in the same
     *     transaction. Null for none
     * @throws MetastoreException INVALID_ARGUMENT, COLLECTION_NOT_FOUND, NAME_TAKEN if another
     *     collection has the name, COLLECTION_PROTECTED if a tag forbids to drop the replaced one
     */
    CollectionInfo renameCollection(long collectionId, String name, @Nullable Long replaced)
            throws MetastoreException;

    /**
     * Drops a collection, its pointer and its tags; its objects stay for the garbage collector.
     *
     * @throws MetastoreException COLLECTION_PROTECTED if a tag forbids it, COLLECTION_NOT_FOUND
     */
    void dropCollection(long collectionId) throws MetastoreException;

    /** What dropped collections left behind, oldest first. */
    List<RetiredPath> retiredPaths() throws MetastoreException;

    /** Nothing is left below a retired path; one that is not there is fine. */
    void forgetRetiredPath(String path) throws MetastoreException;

    /**
     * Names a version. Expired tags of the collection are removed first.
     *
     * @throws MetastoreException INVALID_ARGUMENT, COLLECTION_NOT_FOUND, TAG_EXISTS, TOO_MANY_TAGS;
     *     SNAPSHOT_EXPIRED if the version is above the live one or below what {@link
     *     #releaseVersions} was told
     */
    Tag createTag(TagRequest request) throws MetastoreException;

    /** Tags of a collection by name, expired ones too; none if there is no such collection. */
    List<Tag> tags(long collectionId) throws MetastoreException;

    /**
     * Lets a tag name another manifest of its version. One that names it already stays.
     *
     * @param from path it names now
     * @throws MetastoreException COLLECTION_NOT_FOUND; TAG_NOT_FOUND if there is none that names
     *     either path
     */
    void replaceTagged(long collectionId, String name, String from, String to)
            throws MetastoreException;

    /** Removes a tag: COLLECTION_NOT_FOUND, TAG_NOT_FOUND. */
    void deleteTag(long collectionId, String name) throws MetastoreException;

    /** Removes the expired tags of a collection and returns them; COLLECTION_NOT_FOUND. */
    List<Tag> expireTags(long collectionId) throws MetastoreException;

    /**
     * Says that untagged versions below one are about to be deleted, after which they cannot be
     * tagged any more, and returns the tags of that very moment, expired ones too.
     *
     * @param below the oldest version that stays; an older one than was said before changes nothing
     */
    List<Tag> releaseVersions(long collectionId, long below) throws MetastoreException;

    Optional<Pointer> pointer(long namespaceId, String key) throws MetastoreException;

    /**
     * Swaps a pointer. Checked in this order: key, value, collection exists, namespace exists,
     * fence (FENCED), version (VERSION_MISMATCH), freshness (STALE_OBJECT).
     *
     * @return the new pointer, of version expected + 1
     */
    Pointer swapPointer(PointerSwap swap) throws MetastoreException;

    /**
     * Free or expired: epoch + 1. Held by the same owner: extended. Else LEASE_HELD. ttl 1 ms..1 h.
     */
    Lease acquireLease(String key, String owner, long ttlMs) throws MetastoreException;

    /** Takes the lease whoever holds it; the epoch always rises. */
    Lease takeOverLease(String key, String owner, long ttlMs) throws MetastoreException;

    /** Extends an unexpired lease of that owner and epoch, else LEASE_LOST. */
    Lease renewLease(String key, String owner, long epoch, long ttlMs) throws MetastoreException;

    /** As {@link #renewLease}, even when expired. */
    Lease reacquireLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException;

    /** Gives a lease up; idempotent. */
    void releaseLease(String key, String owner, long epoch) throws MetastoreException;

    Optional<Lease> lease(String key) throws MetastoreException;

    /**
     * The base an incarnation computes its row ids from. The first call of an incarnation hands out
     * a base of at least {@code floor} and above every base given before for the collection. Later
     * calls return the same one unless {@code base + arena * 2^32} is below {@code floor}, in which
     * case it is replaced, once for all callers of that arena.
     *
     * @param floor the live manifest's row-id high water
     */
    long rowIdBase(long collectionId, Ulid incarnation, long arena, long floor)
            throws MetastoreException;

    /**
     * Remembers which topic a collection's offsets are of, as a topic that was deleted and created
     * again has the same name but other records. The first call decides, until one replaces it.
     *
     * @param topicId Kafka's id of the topic
     * @param replace remember this one, whichever was before
     * @return the remembered id
     * @throws MetastoreException COLLECTION_NOT_FOUND, INVALID_ARGUMENT for an empty id
     */
    String bindTopic(long collectionId, String topicId, boolean replace) throws MetastoreException;

    @Override
    void close() throws MetastoreException;
}
