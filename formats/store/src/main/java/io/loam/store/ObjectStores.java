package io.loam.store;

import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.ObjectStoreProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Opens the objects of a warehouse: a local directory, or what a provider of its scheme finds. */
final class ObjectStores {
    private ObjectStores() {}

    /** Opens what exists; a directory is looked at, another store is not. */
    static ObjectStore open(WarehouseOptions options, ClassLoader loader) throws IOException {
        if (!options.isLocal()) {
            return provider(options, loader).open(options.warehouse(), options.storeProperties());
        }
        Path directory = options.directory();
        if (!Files.isDirectory(directory)) {
            throw new IOException(
                    "there is no warehouse at "
                            + directory
                            + "; create a collection first, or give another directory");
        }
        if (options.metastoreUrl() == null
                && !Files.exists(directory.resolve(WarehouseOptions.METASTORE_FILE))) {
            throw new IOException(
                    "the directory "
                            + directory
                            + " has no "
                            + WarehouseOptions.METASTORE_FILE
                            + "; create a collection first, or name the metastore's JDBC URL");
        }
        return LocalObjectStore.open(directory);
    }

    /** Opens and makes sure that objects can be created. */
    static ObjectStore openWritable(WarehouseOptions options, ClassLoader loader)
            throws IOException {
        if (options.isLocal()) {
            LocalObjectStore local = LocalObjectStore.open(options.directory());
            return checked(local, local::requireWritable);
        }
        ObjectStoreProvider provider = provider(options, loader);
        ObjectStore opened = provider.open(options.warehouse(), options.storeProperties());
        return checked(opened, () -> provider.requireWritable(opened));
    }

    private interface Check {
        void run() throws IOException;
    }

    private static ObjectStore checked(ObjectStore opened, Check check) throws IOException {
        try {
            check.run();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static ObjectStoreProvider provider(WarehouseOptions options, ClassLoader loader)
            throws IOException {
        String scheme = options.scheme();
        Set<String> known = new TreeSet<>(Set.of("file"));
        try {
            for (ClassLoader from :
                    new ClassLoader[] {loader, ObjectStoreProvider.class.getClassLoader()}) {
                for (ObjectStoreProvider provider :
                        ServiceLoader.load(ObjectStoreProvider.class, from)) {
                    if (provider.schemes().contains(scheme)) {
                        return provider;
                    }
                    known.addAll(provider.schemes());
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new IOException("cannot load an ObjectStoreProvider: " + e, e);
        }
        throw new IOException(
                "no object store for "
                        + options.warehouse()
                        + " is on the class path, only for "
                        + String.join(", ", known)
                        + (scheme.startsWith("s3") ? "; add the module loam-s3" : ""));
    }
}
