package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Tags, and per collection the floor: the least version that may still be tagged. Garbage
 * collection raises the floor to the oldest version it means to keep, and is told the tags there
 * are, in one transaction; a tag is made at the floor or above it. So whatever tag a pass does not
 * see is of a version that the pass keeps anyway.
 *
 * <p>Every command locks the collection's row first, as do swaps of its pointer.
 */
final class TagTable {
    private static final String COLUMNS =
            "collection_id, name, version, path, description, created_at_ms, expires_at_ms,"
                    + " protect";

    private final ClockTable clock;
    private final CollectionTable collections;
    private final PointerTable pointers;

    TagTable(ClockTable clock, CollectionTable collections, PointerTable pointers) {
        this.clock = clock;
        this.collections = collections;
        this.pointers = pointers;
    }

    Tag create(Connection connection, TagRequest request) throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        collections.requireLocked(connection, request.collectionId());
        removeExpired(connection, request.collectionId(), now);
        List<Tag> present = list(connection, request.collectionId());
        requireFree(present, request);
        requireKept(connection, request);
        if (request.expiresAtMs() != null && request.expiresAtMs() <= now) {
            throw Arguments.invalid(
                    "a tag must expire later than now ("
                            + now
                            + "), not at "
                            + request.expiresAtMs());
        }
        Tag tag = request.createdAt(now);
        insert(connection, tag);
        return tag;
    }

    private static void requireFree(List<Tag> present, TagRequest request)
            throws MetastoreException {
        Optional<Tag> same =
                present.stream().filter(tag -> tag.name().equals(request.name())).findFirst();
        if (same.isPresent()) {
            throw new MetastoreException(
                    Code.TAG_EXISTS,
                    "collection "
                            + request.collectionId()
                            + " has a tag \""
                            + request.name()
                            + "\" already, of version "
                            + same.get().version()
                            + "; tags do not change: delete it, or take another name");
        }
        if (present.size() >= Arguments.MAX_TAGS) {
            throw new MetastoreException(
                    Code.TOO_MANY_TAGS,
                    "collection "
                            + request.collectionId()
                            + " has "
                            + present.size()
                            + " tags, the most there may be; delete one that is not needed");
        }
    }

    private void requireKept(Connection connection, TagRequest request)
            throws SQLException, MetastoreException {
        CollectionInfo info = collections.require(connection, request.collectionId());
        Pointer live =
                pointers.find(
                                connection,
                                info.namespaceId(),
                                PointerTable.COLLECTION_PREFIX + request.collectionId())
                        .orElse(new Pointer(0, ""));
        if (request.version() > live.version()) {
            throw expired(request, "the live version is " + live.version());
        }
        if (request.version() == live.version() && !request.path().equals(live.value())) {
            throw Arguments.invalid(
                    "version "
                            + live.version()
                            + " is at "
                            + live.value()
                            + ", not at "
                            + request.path());
        }
        long floor = floor(connection, request.collectionId());
        if (request.version() < floor) {
            throw expired(request, "versions below " + floor + " are being collected");
        }
    }

    private static MetastoreException expired(TagRequest request, String why) {
        return new MetastoreException(
                Code.SNAPSHOT_EXPIRED,
                "version "
                        + request.version()
                        + " of collection "
                        + request.collectionId()
                        + " cannot be tagged: "
                        + why);
    }

    private static void insert(Connection connection, Tag tag) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_tag (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
            insert.setLong(1, tag.collectionId());
            insert.setString(2, tag.name());
            insert.setLong(3, tag.version());
            insert.setString(4, tag.path());
            insert.setString(5, tag.description());
            insert.setLong(6, tag.createdAtMs());
            if (tag.expiresAtMs() == null) {
                insert.setNull(7, Types.BIGINT);
            } else {
                insert.setLong(7, tag.expiresAtMs());
            }
            insert.setInt(8, tag.protect() ? 1 : 0);
            insert.executeUpdate();
        }
    }

    /** All tags, expired ones too, by name; none if there is no such collection. */
    static List<Tag> list(Connection connection, long collectionId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT " + COLUMNS + " FROM loam_tag WHERE collection_id = ?")) {
            query.setLong(1, collectionId);
            List<Tag> tags = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    tags.add(tag(row));
                }
            }
            tags.sort(Comparator.comparing(Tag::name));
            return tags;
        }
    }

    private static Tag tag(ResultSet row) throws SQLException {
        long expires = row.getLong(7);
        Long expiresAtMs = row.wasNull() ? null : Long.valueOf(expires);
        return new Tag(
                row.getLong(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6),
                expiresAtMs,
                row.getInt(8) != 0);
    }

    void delete(Connection connection, long collectionId, String name)
            throws SQLException, MetastoreException {
        clock.stamp(connection);
        collections.requireLocked(connection, collectionId);
        if (remove(connection, collectionId, name) == 0) {
            throw new MetastoreException(
                    Code.TAG_NOT_FOUND,
                    "collection " + collectionId + " has no tag \"" + name + "\"");
        }
    }

    void replace(Connection connection, long collectionId, String name, String from, String to)
            throws SQLException, MetastoreException {
        clock.stamp(connection);
        collections.requireLocked(connection, collectionId);
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE loam_tag SET path = ? WHERE collection_id = ? AND name = ?"
                                + " AND path IN (?, ?)")) {
            update.setString(1, to);
            update.setLong(2, collectionId);
            update.setString(3, name);
            update.setString(4, from);
            update.setString(5, to);
            if (update.executeUpdate() == 0) {
                throw new MetastoreException(
                        Code.TAG_NOT_FOUND,
                        "collection "
                                + collectionId
                                + " has no tag \""
                                + name
                                + "\" that names "
                                + from);
            }
        }
    }

    /** Removes expired tags and returns them, by name. */
    List<Tag> expire(Connection connection, long collectionId)
            throws SQLException, MetastoreException {
        long now = clock.stamp(connection);
        collections.requireLocked(connection, collectionId);
        return removeExpired(connection, collectionId, now);
    }

    private static List<Tag> removeExpired(Connection connection, long collectionId, long now)
            throws SQLException {
        List<Tag> expired =
                list(connection, collectionId).stream().filter(tag -> tag.isExpired(now)).toList();
        for (Tag tag : expired) {
            remove(connection, collectionId, tag.name());
        }
        return expired;
    }

    private static int remove(Connection connection, long collectionId, String name)
            throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement(
                        "DELETE FROM loam_tag WHERE collection_id = ? AND name = ?")) {
            delete.setLong(1, collectionId);
            delete.setString(2, name);
            return delete.executeUpdate();
        }
    }

    /** Raises the floor, which never falls, and returns the tags of that moment. */
    List<Tag> release(Connection connection, long collectionId, long below)
            throws SQLException, MetastoreException {
        clock.stamp(connection);
        collections.requireLocked(connection, collectionId);
        try (PreparedStatement raise =
                connection.prepareStatement(
                        "INSERT INTO loam_version_floor (collection_id, floor) VALUES (?, ?)"
                                + " ON CONFLICT (collection_id) DO UPDATE SET floor ="
                                + " CASE WHEN excluded.floor > loam_version_floor.floor"
                                + " THEN excluded.floor ELSE loam_version_floor.floor END")) {
            raise.setLong(1, collectionId);
            raise.setLong(2, below);
            raise.executeUpdate();
        }
        return list(connection, collectionId);
    }

    private static long floor(Connection connection, long collectionId) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT floor FROM loam_version_floor WHERE collection_id = ?")) {
            query.setLong(1, collectionId);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /**
     * Makes sure that no tag protects the collection, whose row is locked.
     *
     * @throws MetastoreException COLLECTION_PROTECTED, naming the tags
     */
    static void requireUnprotected(List<Tag> tags, CollectionInfo info, long now)
            throws MetastoreException {
        List<String> protecting =
                tags.stream()
                        .filter(tag -> tag.protect() && !tag.isExpired(now))
                        .map(Tag::name)
                        .toList();
        if (!protecting.isEmpty()) {
            throw new MetastoreException(
                    Code.COLLECTION_PROTECTED,
                    "collection "
                            + info.namespace()
                            + "."
                            + info.name()
                            + " cannot be dropped: it is protected by "
                            + (protecting.size() == 1 ? "the tag " : "the tags ")
                            + String.join(", ", protecting)
                            + "; delete "
                            + (protecting.size() == 1 ? "it" : "them")
                            + " first");
        }
    }
}
