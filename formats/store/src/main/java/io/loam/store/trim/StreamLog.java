package io.loam.store.trim;

import java.io.IOException;
import java.util.Map;

/** The stream of a collection, as far as trimming sees it. */
public interface StreamLog extends AutoCloseable {
    /** Something that tells the log from one of the same name that was made anew; may be empty. */
    String id() throws IOException;

    /** The first offset there is, by partition. */
    Map<Integer, Long> starts() throws IOException;

    /** The next offset, by partition. */
    Map<Integer, Long> ends() throws IOException;

    /** Deletes what lies before these offsets; what is gone already is fine. */
    void deleteBefore(Map<Integer, Long> offsets) throws IOException;

    @Override
    default void close() throws IOException {}
}
