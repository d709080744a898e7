package io.loam.store.spi;

import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** Service that opens object stores which are not local directories. */
public interface ObjectStoreProvider {
    /** The URI schemes it opens, in lower case, such as {@code s3}. */
    Set<String> schemes();

    /**
     * Opens the objects below a URI; asks nothing of the store.
     *
     * @param properties settings by name; a name or value it does not know is refused
     * @throws IllegalArgumentException for a location or setting that cannot be, naming it
     */
    ObjectStore open(String location, Map<String, String> properties) throws IOException;

    /**
     * Makes sure that objects can be created there and that creating is exclusive.
     *
     * @throws IOException if not, naming the place and what to do
     */
    void requireWritable(ObjectStore opened) throws IOException;
}
