package io.loam.store.tag;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Tag;
import io.loam.store.metastore.TagRequest;
import io.loam.store.object.ObjectNotFoundException;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Tags of a collection. A tag keeps its version and all the version's objects, but not the versions
 * before it, and not the records of the stream. May be used from any thread.
 */
public final class Tags {
    /** How long creating at a token waits for a version that covers it. */
    public static final Duration TOKEN_WAIT = Duration.ofSeconds(30);

    private final CollectionHandle handle;
    private final TokenWait tokens;

    public Tags(CollectionHandle handle) {
        this(handle, new TokenWait(handle, TOKEN_WAIT));
    }

    Tags(CollectionHandle handle, TokenWait tokens) {
        this.handle = handle;
        this.tokens = tokens;
    }

    /**
     * Names a version.
     *
     * @throws SnapshotExpiredException if the version is not retained, or not there yet
     * @throws TokenNotCoveredException if no version covers the token in time
     * @throws MetastoreException TAG_EXISTS, TOO_MANY_TAGS, INVALID_ARGUMENT
     */
    public Tag create(String name, TagTarget target, TagOptions options) throws IOException {
        ManifestChain.Link tagged = resolve(target);
        if (tagged.version() == 0) {
            throw new SnapshotExpiredException(
                    "collection "
                            + handle.info().name()
                            + " has no version to tag yet; apply something first");
        }
        Long expiresAtMs =
                options.lifetime() == null
                        ? null
                        : Long.valueOf(
                                Math.addExact(
                                        handle.metastore().clockMs(),
                                        options.lifetime().toMillis()));
        return handle.metastore()
                .createTag(
                        new TagRequest(
                                handle.info().id(),
                                name,
                                tagged.version(),
                                tagged.path(),
                                options.description(),
                                expiresAtMs,
                                options.protect()));
    }

    private ManifestChain.Link resolve(TagTarget target) throws IOException {
        if (target instanceof TagTarget.Version at) {
            return ManifestChain.of(handle).link(at.version());
        }
        LiveManifest live =
                target instanceof TagTarget.Token at ? tokens.await(at.token()) : handle.live();
        return new ManifestChain.Link(live.path(), live.manifest());
    }

    /** All tags by name, expired ones too. */
    public List<Tag> list() throws IOException {
        return handle.metastore().tags(handle.info().id());
    }

    /** The tags that stand, by name: those that have not expired. */
    public List<Tag> standing() throws IOException {
        long clockMs = handle.metastore().clockMs();
        return list().stream().filter(tag -> !tag.isExpired(clockMs)).toList();
    }

    /**
     * A tag that stands.
     *
     * @throws MetastoreException TAG_NOT_FOUND if there is none or it has expired
     */
    public Tag require(String name) throws IOException {
        List<Tag> tags = list();
        Tag tag =
                tags.stream()
                        .filter(candidate -> candidate.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> missing(name, tags));
        if (tag.expiresAtMs() != null && tag.isExpired(handle.metastore().clockMs())) {
            throw new MetastoreException(
                    Code.TAG_NOT_FOUND,
                    "tag \"" + name + "\" of collection " + handle.info().name() + " has expired");
        }
        return tag;
    }

    private MetastoreException missing(String name, List<Tag> tags) {
        return new MetastoreException(
                Code.TAG_NOT_FOUND,
                "collection "
                        + handle.info().name()
                        + " has no tag \""
                        + name
                        + "\"; "
                        + (tags.isEmpty()
                                ? "it has none"
                                : "it has "
                                        + String.join(
                                                ", ", tags.stream().map(Tag::name).toList())));
    }

    /** Removes a tag; TAG_NOT_FOUND if there is none. */
    public void delete(String name) throws IOException {
        try {
            handle.metastore().deleteTag(handle.info().id(), name);
        } catch (MetastoreException e) {
            throw e.code() == Code.TAG_NOT_FOUND ? missing(name, list()) : e;
        }
    }

    /** Removes the tags that have expired and returns them. */
    public List<Tag> expire() throws IOException {
        return handle.metastore().expireTags(handle.info().id());
    }

    /**
     * The manifest of a tagged version, whether or not it is retained otherwise.
     *
     * @throws MetastoreException TAG_NOT_FOUND if there is no such tag or it has expired
     */
    public CollectionManifest open(String name) throws IOException {
        return open(require(name));
    }

    /**
     * The manifest of a version that is retained, or that a tag names.
     *
     * @throws SnapshotExpiredException if it is neither
     */
    public CollectionManifest openVersion(long version) throws IOException {
        try {
            return ManifestChain.of(handle).open(version);
        } catch (SnapshotExpiredException e) {
            for (Tag tag : standing()) {
                if (tag.version() == version) {
                    return open(tag);
                }
            }
            throw e;
        }
    }

    /** The manifest a tag names. */
    public CollectionManifest open(Tag tag) throws IOException {
        byte[] bytes;
        try {
            bytes = handle.objects().get(tag.path());
        } catch (ObjectNotFoundException e) {
            throw new CorruptException(
                    "tag \"" + tag.name() + "\" names " + tag.path() + ", which is not there", e);
        }
        CollectionManifest manifest = ManifestCodec.decode(bytes, tag.path());
        if (manifest.version() != tag.version() || manifest.collectionId() != handle.info().id()) {
            throw new CorruptException(
                    tag.path()
                            + ": version "
                            + manifest.version()
                            + " of collection "
                            + manifest.collectionId()
                            + ", but tag \""
                            + tag.name()
                            + "\" names version "
                            + tag.version()
                            + " of collection "
                            + handle.info().id());
        }
        return manifest;
    }
}
