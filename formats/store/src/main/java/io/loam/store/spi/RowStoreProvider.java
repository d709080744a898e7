package io.loam.store.spi;

import io.loam.store.object.ObjectStore;

import java.io.IOException;

/** Service that opens the row format. */
public interface RowStoreProvider {
    /**
     * @param datasetPath object path of the dataset root, without a trailing slash
     */
    RowStore open(ObjectStore objects, String datasetPath) throws IOException;
}
