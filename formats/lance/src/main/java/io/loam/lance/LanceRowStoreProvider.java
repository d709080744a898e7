package io.loam.lance;

import io.loam.store.object.ObjectStore;
import io.loam.store.spi.RowStore;
import io.loam.store.spi.RowStoreProvider;

/** Opens rows in Lance. */
public final class LanceRowStoreProvider implements RowStoreProvider {
    @Override
    public RowStore open(ObjectStore objects, String datasetPath) {
        return new LanceRowStore(objects, datasetPath);
    }
}
