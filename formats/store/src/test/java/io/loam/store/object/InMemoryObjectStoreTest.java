package io.loam.store.object;

import io.loam.store.testing.InMemoryObjectStore;

class InMemoryObjectStoreTest extends ObjectStoreContract {
    @Override
    ObjectStore open() {
        return new InMemoryObjectStore();
    }
}
