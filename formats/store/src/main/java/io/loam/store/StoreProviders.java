package io.loam.store;

import io.loam.store.spi.RowStoreProvider;
import io.loam.store.spi.SplitStoreProvider;

import java.io.IOException;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds the row and split formats when they are first needed. */
interface StoreProviders {
    RowStoreProvider rows() throws IOException;

    SplitStoreProvider splits() throws IOException;

    static StoreProviders of(RowStoreProvider rows, SplitStoreProvider splits) {
        return new StoreProviders() {
            @Override
            public RowStoreProvider rows() {
                return rows;
            }

            @Override
            public SplitStoreProvider splits() {
                return splits;
            }
        };
    }

    /** Services that the loader sees, else those that this class's own loader sees. */
    static StoreProviders from(ClassLoader loader) {
        return new StoreProviders() {
            @Override
            public RowStoreProvider rows() throws IOException {
                return service(RowStoreProvider.class, loader, "loam-lance");
            }

            @Override
            public SplitStoreProvider splits() throws IOException {
                return service(SplitStoreProvider.class, loader, "loam-tantivy");
            }
        };
    }

    private static <T> T service(Class<T> type, ClassLoader loader, String module)
            throws IOException {
        try {
            for (ClassLoader from : new ClassLoader[] {loader, type.getClassLoader()}) {
                Iterator<T> services = ServiceLoader.load(type, from).iterator();
                if (services.hasNext()) {
                    return services.next();
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new IOException("cannot load a " + type.getSimpleName() + ": " + e, e);
        }
        throw new IOException(
                "no "
                        + type.getSimpleName()
                        + " is on the class path; add the module "
                        + module
                        + " and its libraries");
    }
}
