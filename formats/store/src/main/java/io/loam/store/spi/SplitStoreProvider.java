package io.loam.store.spi;

import io.loam.store.object.ObjectStore;

import java.io.IOException;

/** Service that opens the text format. */
public interface SplitStoreProvider {
    /**
     * @param collectionRoot object path of the collection, ending in a slash
     */
    SplitStore open(ObjectStore objects, String collectionRoot) throws IOException;
}
