package io.loam.tantivy;

import io.loam.store.object.ObjectStore;
import io.loam.store.spi.SplitStore;
import io.loam.store.spi.SplitStoreProvider;

import java.io.IOException;

/** Opens splits with Tantivy; found as a service. */
public final class TantivySplitStoreProvider implements SplitStoreProvider {
    @Override
    public SplitStore open(ObjectStore objects, String collectionRoot) throws IOException {
        return new TantivySplitStore(objects, collectionRoot);
    }
}
