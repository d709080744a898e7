package io.loam.store;

import io.loam.store.spi.HotEngine;
import io.loam.store.spi.RowStoreProvider;
import io.loam.store.spi.SplitStoreProvider;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Iterator;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds the formats of rows, splits and hot graphs when they are first needed. */
interface StoreProviders {
    RowStoreProvider rows() throws IOException;

    SplitStoreProvider splits() throws IOException;

    /** Hot graphs are not needed for anything. */
    Optional<HotEngine> hot() throws IOException;

    static StoreProviders of(
            RowStoreProvider rows, SplitStoreProvider splits, @Nullable HotEngine hot) {
        return new StoreProviders() {
            @Override
            public RowStoreProvider rows() {
                return rows;
            }

            @Override
            public SplitStoreProvider splits() {
                return splits;
            }

            @Override
            public Optional<HotEngine> hot() {
                return Optional.ofNullable(hot);
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

            @Override
            public Optional<HotEngine> hot() throws IOException {
                return find(HotEngine.class, loader);
            }
        };
    }

    private static <T> Optional<T> find(Class<T> type, ClassLoader loader) throws IOException {
        try {
            for (ClassLoader from : new ClassLoader[] {loader, type.getClassLoader()}) {
                Iterator<T> services = ServiceLoader.load(type, from).iterator();
                if (services.hasNext()) {
                    return Optional.of(services.next());
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new IOException("cannot load a " + type.getSimpleName() + ": " + e, e);
        }
        return Optional.empty();
    }

    private static <T> T service(Class<T> type, ClassLoader loader, String module)
            throws IOException {
        return find(type, loader)
                .orElseThrow(
                        () ->
                                new IOException(
                                        "no "
                                                + type.getSimpleName()
                                                + " is on the class path; add the module "
                                                + module
                                                + " and its libraries"));
    }
}
