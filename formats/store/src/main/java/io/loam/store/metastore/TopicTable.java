package io.loam.store.metastore;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Which topic a collection's offsets are of. */
final class TopicTable {
    private TopicTable() {}

    /** The caller holds the collection's row. */
    static String bind(Connection connection, long collectionId, String topicId, boolean replace)
            throws SQLException {
        String onConflict = replace ? "DO UPDATE SET topic_id = excluded.topic_id" : "DO NOTHING";
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO loam_topic (collection_id, topic_id) VALUES (?, ?)"
                                + " ON CONFLICT (collection_id) "
                                + onConflict)) {
            insert.setLong(1, collectionId);
            insert.setString(2, topicId);
            insert.executeUpdate();
        }
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT topic_id FROM loam_topic WHERE collection_id = ?")) {
            query.setLong(1, collectionId);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
