package io.loam.store.testing;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.SchemaEvolution;
import io.loam.codec.schema.SchemaException;
import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.metastore.Tag;
import io.loam.store.metastore.TagRequest;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * A metastore in memory whose clock a test holds. Checks and refusals are the real one's, except
 * for checks of names and lengths.
 */
public class InMemoryMetastore implements Metastore {
    private static final int ARENA_BITS = 32;
    private static final int MAX_TAGS = 64;

    private record PointerKey(long namespaceId, String key) {}

    private static final String STAGED = "_staging-";

    private record BaseKey(long collectionId, Ulid incarnation) {}

    private final LongSupplier clock;
    private final Map<String, Long> namespaces = new TreeMap<>(Map.of("default", 1L));
    private final Map<Long, CollectionInfo> collections = new TreeMap<>();
    private final Map<PointerKey, Pointer> pointers = new HashMap<>();
    private final Map<String, Lease> leases = new HashMap<>();
    private final Map<Long, Long> nextBases = new HashMap<>();
    private final Map<BaseKey, Long> bases = new HashMap<>();
    private final Map<Long, String> topics = new HashMap<>();
    private final List<RetiredPath> retired = new ArrayList<>();
    private final List<Tag> tags = new ArrayList<>();
    private final Map<Long, Long> floors = new HashMap<>();
    private long lastMs;
    private long nextCollection = 1;
    private long nextNamespace = 2;

    /**
     * @param clock ms; read at every command, and never taken to go back
     */
    public InMemoryMetastore(LongSupplier clock) {
        this.clock = clock;
    }

    /** Another metastore that holds the same now, under another clock. */
    public synchronized InMemoryMetastore copy(LongSupplier otherClock) {
        InMemoryMetastore copy = new InMemoryMetastore(otherClock);
        copy.namespaces.putAll(namespaces);
        copy.collections.putAll(collections);
        copy.pointers.putAll(pointers);
        copy.leases.putAll(leases);
        copy.nextBases.putAll(nextBases);
        copy.bases.putAll(bases);
        copy.topics.putAll(topics);
        copy.retired.addAll(retired);
        copy.tags.addAll(tags);
        copy.floors.putAll(floors);
        copy.lastMs = lastMs;
        copy.nextCollection = nextCollection;
        copy.nextNamespace = nextNamespace;
        return copy;
    }

    @Override
    public synchronized long clockMs() {
        lastMs = Math.max(lastMs, clock.getAsLong());
        return lastMs;
    }

    @Override
    public synchronized long createNamespace(String name) throws MetastoreException {
        if (namespaces.putIfAbsent(name, nextNamespace) != null) {
            throw new MetastoreException(Code.NAMESPACE_EXISTS, "namespace " + name);
        }
        return nextNamespace++;
    }

    @Override
    public synchronized void dropNamespace(String name, boolean cascade) throws MetastoreException {
        if (name.equals("default")) {
            throw new MetastoreException(Code.INVALID_ARGUMENT, name);
        }
        List<CollectionInfo> present = collections(name);
        if (!cascade && !present.isEmpty()) {
            throw new MetastoreException(Code.NAMESPACE_NOT_EMPTY, name);
        }
        for (CollectionInfo info : present) {
            requireUnprotected(info.id(), clockMs());
        }
        for (CollectionInfo info : present) {
            dropCollection(info.id());
        }
        for (CollectionInfo info : stagedCollections(name)) {
            dropCollection(info.id());
        }
        long id = namespaces.remove(name);
        pointers.keySet().removeIf(key -> key.namespaceId() == id);
    }

    @Override
    public synchronized List<String> namespaces() {
        return List.copyOf(namespaces.keySet());
    }

    private void requireNamespace(String name) throws MetastoreException {
        if (!namespaces.containsKey(name)) {
            throw new MetastoreException(Code.NAMESPACE_NOT_FOUND, "no namespace " + name);
        }
    }

    @Override
    public synchronized CollectionInfo createCollection(
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic)
            throws MetastoreException {
        requireNamespace(namespace);
        Optional<CollectionInfo> present = findCollection(namespace, name);
        if (present.isPresent()) {
            CollectionInfo info = present.get();
            boolean same =
                    info.schema().equals(schema)
                            && info.partitions() == partitions
                            && (topic == null || topic.equals(info.topic()));
            throw new MetastoreException(same ? Code.COLLECTION_EXISTS : Code.NAME_TAKEN, name);
        }
        return created(namespace, name, schema, partitions, topic);
    }

    private CollectionInfo created(
            String namespace,
            @Nullable String name,
            CollectionSchema schema,
            int partitions,
            @Nullable String topic) {
        long namespaceId = namespaces.get(namespace);
        long id = nextCollection++;
        CollectionInfo created =
                new CollectionInfo(
                        namespaceId,
                        namespace,
                        id,
                        name != null ? name : STAGED + id,
                        topic != null ? topic : "loam." + namespaceId + "." + id,
                        partitions,
                        schema,
                        clockMs());
        collections.put(id, created);
        return created;
    }

    @Override
    public synchronized CollectionInfo stageCollection(
            String namespace, CollectionSchema schema, int partitions) throws MetastoreException {
        requireNamespace(namespace);
        return created(namespace, null, schema, partitions, null);
    }

    @Override
    public synchronized List<CollectionInfo> stagedCollections(String namespace)
            throws MetastoreException {
        requireNamespace(namespace);
        return collections.values().stream()
                .filter(info -> info.namespace().equals(namespace))
                .filter(InMemoryMetastore::isStaged)
                .toList();
    }

    @Override
    public synchronized boolean dropStagedCollection(long collectionId) throws MetastoreException {
        CollectionInfo info = collections.get(collectionId);
        if (info == null || !isStaged(info)) {
            return false;
        }
        dropCollection(collectionId);
        return true;
    }

    private static boolean isStaged(CollectionInfo info) {
        return info.name().startsWith(STAGED);
    }

    @Override
    public synchronized Optional<CollectionInfo> findCollection(String namespace, String name) {
        return collections.values().stream()
                .filter(info -> !isStaged(info))
                .filter(info -> info.namespace().equals(namespace) && info.name().equals(name))
                .findFirst();
    }

    @Override
    public synchronized CollectionInfo collection(long collectionId) throws MetastoreException {
        CollectionInfo info = collections.get(collectionId);
        if (info == null) {
            throw new MetastoreException(
                    Code.COLLECTION_NOT_FOUND, "there is no collection " + collectionId);
        }
        return info;
    }

    @Override
    public synchronized Optional<CollectionHead> head(String namespace, String name) {
        return findCollection(namespace, name).map(this::head);
    }

    @Override
    public synchronized CollectionHead head(long collectionId) throws MetastoreException {
        return head(collection(collectionId));
    }

    private CollectionHead head(CollectionInfo info) {
        String key = new CollectionPaths(info.namespaceId(), info.id()).pointerKey();
        return new CollectionHead(
                info, pointers.get(new PointerKey(info.namespaceId(), key)), clockMs());
    }

    @Override
    public synchronized List<CollectionInfo> collections(String namespace)
            throws MetastoreException {
        requireNamespace(namespace);
        return collections.values().stream()
                .filter(info -> info.namespace().equals(namespace))
                .filter(info -> !isStaged(info))
                .sorted(Comparator.comparing(CollectionInfo::name))
                .toList();
    }

    @Override
    public synchronized CollectionInfo updateSchema(
            long collectionId, long expectedVersion, CollectionSchema next)
            throws MetastoreException {
        CollectionInfo current = collection(collectionId);
        long version = current.schema().version();
        if (version == expectedVersion + 1 && current.schema().equals(next)) {
            return current;
        }
        if (version != expectedVersion) {
            throw new MetastoreException(Code.SCHEMA_VERSION_MISMATCH, "version " + version);
        }
        try {
            SchemaEvolution.check(current.schema(), next);
        } catch (SchemaException e) {
            throw new MetastoreException(Code.INCOMPATIBLE_SCHEMA, e.getMessage(), e);
        }
        CollectionInfo updated =
                new CollectionInfo(
                        current.namespaceId(),
                        current.namespace(),
                        current.id(),
                        current.name(),
                        current.topic(),
                        current.partitions(),
                        next,
                        current.createdAtMs());
        collections.put(collectionId, updated);
        return updated;
    }

    private void requireUnprotected(long collectionId, long now) throws MetastoreException {
        if (tags(collectionId).stream().anyMatch(tag -> tag.protect() && !tag.isExpired(now))) {
            throw new MetastoreException(Code.COLLECTION_PROTECTED, "collection " + collectionId);
        }
    }

    @Override
    public synchronized CollectionInfo renameCollection(
            long collectionId, String name, @Nullable Long replaced) throws MetastoreException {
        CollectionInfo current = collection(collectionId);
        if (current.name().equals(name)) {
            return current;
        }
        Optional<CollectionInfo> present = findCollection(current.namespace(), name);
        if (present.isPresent()) {
            if (replaced == null || replaced != present.get().id()) {
                throw new MetastoreException(Code.NAME_TAKEN, name);
            }
            dropCollection(replaced);
        }
        CollectionInfo renamed =
                new CollectionInfo(
                        current.namespaceId(),
                        current.namespace(),
                        current.id(),
                        name,
                        current.topic(),
                        current.partitions(),
                        current.schema(),
                        current.createdAtMs());
        collections.put(collectionId, renamed);
        return renamed;
    }

    @Override
    public synchronized void dropCollection(long collectionId) throws MetastoreException {
        CollectionInfo info = collection(collectionId);
        CollectionPaths paths = new CollectionPaths(info.namespaceId(), collectionId);
        long now = clockMs();
        requireUnprotected(collectionId, now);
        tags.removeIf(tag -> tag.collectionId() == collectionId);
        floors.remove(collectionId);
        retired.add(new RetiredPath(paths.root(), now));
        retired.add(new RetiredPath(paths.keyIndex(), now));
        retired.sort(
                Comparator.comparing(RetiredPath::retiredAtMs).thenComparing(RetiredPath::path));
        pointers.remove(new PointerKey(info.namespaceId(), paths.pointerKey()));
        bases.keySet().removeIf(key -> key.collectionId() == collectionId);
        nextBases.remove(collectionId);
        topics.remove(collectionId);
        collections.remove(collectionId);
    }

    @Override
    public synchronized List<RetiredPath> retiredPaths() {
        return List.copyOf(retired);
    }

    @Override
    public synchronized void forgetRetiredPath(String path) {
        retired.removeIf(retiredPath -> retiredPath.path().equals(path));
    }

    @Override
    public synchronized Tag createTag(TagRequest request) throws MetastoreException {
        long id = request.collectionId();
        expireTags(id);
        List<Tag> present = tags(id);
        if (present.stream().anyMatch(tag -> tag.name().equals(request.name()))) {
            throw new MetastoreException(Code.TAG_EXISTS, request.name());
        }
        if (present.size() >= MAX_TAGS) {
            throw new MetastoreException(Code.TOO_MANY_TAGS, "" + present.size());
        }
        Pointer live = head(id).pointer();
        if (request.version() > (live == null ? 0 : live.version())
                || request.version() < floors.getOrDefault(id, 0L)) {
            throw new MetastoreException(
                    Code.SNAPSHOT_EXPIRED,
                    "version "
                            + request.version()
                            + ", live "
                            + live
                            + ", collected below "
                            + floors.get(id));
        }
        Tag tag =
                new Tag(
                        id,
                        request.name(),
                        request.version(),
                        request.path(),
                        request.description(),
                        clockMs(),
                        request.expiresAtMs(),
                        request.protect());
        tags.add(tag);
        return tag;
    }

    @Override
    public synchronized List<Tag> tags(long collectionId) {
        return tags.stream()
                .filter(tag -> tag.collectionId() == collectionId)
                .sorted(Comparator.comparing(Tag::name))
                .toList();
    }

    @Override
    public synchronized void replaceTagged(long collectionId, String name, String from, String to)
            throws MetastoreException {
        collection(collectionId);
        for (int i = 0; i < tags.size(); i++) {
            Tag tag = tags.get(i);
            if (tag.collectionId() == collectionId
                    && tag.name().equals(name)
                    && (tag.path().equals(from) || tag.path().equals(to))) {
                tags.set(
                        i,
                        new Tag(
                                collectionId,
                                name,
                                tag.version(),
                                to,
                                tag.description(),
                                tag.createdAtMs(),
                                tag.expiresAtMs(),
                                tag.protect()));
                return;
            }
        }
        throw new MetastoreException(Code.TAG_NOT_FOUND, name);
    }

    @Override
    public synchronized void deleteTag(long collectionId, String name) throws MetastoreException {
        collection(collectionId);
        if (!tags.removeIf(tag -> tag.collectionId() == collectionId && tag.name().equals(name))) {
            throw new MetastoreException(Code.TAG_NOT_FOUND, name);
        }
    }

    @Override
    public synchronized List<Tag> expireTags(long collectionId) throws MetastoreException {
        collection(collectionId);
        long now = clockMs();
        List<Tag> expired = tags(collectionId).stream().filter(tag -> tag.isExpired(now)).toList();
        tags.removeAll(expired);
        return expired;
    }

    @Override
    public synchronized List<Tag> releaseVersions(long collectionId, long below)
            throws MetastoreException {
        collection(collectionId);
        floors.merge(collectionId, below, Math::max);
        return tags(collectionId);
    }

    @Override
    public synchronized Optional<Pointer> pointer(long namespaceId, String key) {
        return Optional.ofNullable(pointers.get(new PointerKey(namespaceId, key)));
    }

    @Override
    public synchronized Pointer swapPointer(PointerSwap swap) throws MetastoreException {
        String prefix = "collection/";
        if (swap.key().startsWith(prefix)) {
            long id = Long.parseLong(swap.key().substring(prefix.length()));
            CollectionInfo info = collections.get(id);
            if (info == null || info.namespaceId() != swap.namespaceId()) {
                throw new MetastoreException(Code.COLLECTION_NOT_FOUND, "no collection " + id);
            }
        }
        if (!namespaces.containsValue(swap.namespaceId())) {
            throw new MetastoreException(
                    Code.NAMESPACE_NOT_FOUND, "no namespace " + swap.namespaceId());
        }
        requireFence(swap, leases.get(swap.leaseKey()));
        PointerKey key = new PointerKey(swap.namespaceId(), swap.key());
        Pointer current = pointers.get(key);
        if ((current == null ? 0 : current.version()) != swap.expectedVersion()) {
            throw new MetastoreException("version mismatch: " + current, current);
        }
        if (clockMs() - swap.createdAtMs() > swap.maxAgeMs()) {
            throw new MetastoreException(Code.STALE_OBJECT, swap.value() + " is too old");
        }
        Pointer next = new Pointer(swap.expectedVersion() + 1, swap.value());
        pointers.put(key, next);
        return next;
    }

    /** Open to doubles that are wrong on purpose. */
    protected void requireFence(PointerSwap swap, @Nullable Lease lease) throws MetastoreException {
        if (lease == null || lease.owner() == null || lease.epoch() != swap.leaseEpoch()) {
            throw new MetastoreException(
                    Code.FENCED, "the swap carries epoch " + swap.leaseEpoch() + " of " + lease);
        }
    }

    @Override
    public synchronized Lease acquireLease(String key, String owner, long ttlMs)
            throws MetastoreException {
        long now = clockMs();
        Lease held = leases.getOrDefault(key, new Lease(key, null, 0, 0));
        boolean free = held.owner() == null || held.expiresAtMs() <= now;
        if (!free && !owner.equals(held.owner())) {
            throw new MetastoreException(Code.LEASE_HELD, "held: " + held);
        }
        return store(new Lease(key, owner, free ? held.epoch() + 1 : held.epoch(), now + ttlMs));
    }

    @Override
    public synchronized Lease takeOverLease(String key, String owner, long ttlMs) {
        long epoch = leases.containsKey(key) ? leases.get(key).epoch() : 0;
        return store(new Lease(key, owner, epoch + 1, clockMs() + ttlMs));
    }

    @Override
    public synchronized Lease renewLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return extend(key, owner, epoch, ttlMs, false);
    }

    @Override
    public synchronized Lease reacquireLease(String key, String owner, long epoch, long ttlMs)
            throws MetastoreException {
        return extend(key, owner, epoch, ttlMs, true);
    }

    private Lease extend(String key, String owner, long epoch, long ttlMs, boolean evenExpired)
            throws MetastoreException {
        long now = clockMs();
        Lease held = leases.get(key);
        boolean ours = held != null && owner.equals(held.owner()) && held.epoch() == epoch;
        if (!ours || (held.expiresAtMs() <= now && !evenExpired)) {
            throw new MetastoreException(Code.LEASE_LOST, "held: " + held);
        }
        return store(new Lease(key, owner, epoch, now + ttlMs));
    }

    private Lease store(Lease lease) {
        leases.put(lease.key(), lease);
        return lease;
    }

    @Override
    public synchronized void releaseLease(String key, String owner, long epoch) {
        Lease held = leases.get(key);
        if (held != null && owner.equals(held.owner()) && held.epoch() == epoch) {
            store(new Lease(key, null, epoch, clockMs()));
        }
    }

    @Override
    public synchronized Optional<Lease> lease(String key) {
        return Optional.ofNullable(leases.get(key));
    }

    @Override
    public synchronized long rowIdBase(long collectionId, Ulid incarnation, long arena, long floor)
            throws MetastoreException {
        collection(collectionId);
        BaseKey key = new BaseKey(collectionId, incarnation);
        Long given = bases.get(key);
        if (given != null && Long.compareUnsigned(given + (arena << ARENA_BITS), floor) >= 0) {
            return given;
        }
        long next = nextBases.getOrDefault(collectionId, 0L);
        long base = Long.compareUnsigned(floor, next) > 0 ? floor : next;
        bases.put(key, base);
        nextBases.put(collectionId, base + 1);
        return base;
    }

    @Override
    public synchronized String bindTopic(long collectionId, String topicId, boolean replace)
            throws MetastoreException {
        collection(collectionId);
        if (replace) {
            topics.put(collectionId, topicId);
        }
        return topics.computeIfAbsent(collectionId, id -> topicId);
    }

    /** Nothing to close; the state stays, for the next who opens it. */
    @Override
    public void close() {}
}
