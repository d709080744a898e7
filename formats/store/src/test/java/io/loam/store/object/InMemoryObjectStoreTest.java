package io.loam.store.object;

import io.loam.store.testing.InMemoryObjectStore;
import io.loam.store.testing.ObjectStoreContract;

class InMemoryObjectStoreTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() {
        return new InMemoryObjectStore();
    }
}
