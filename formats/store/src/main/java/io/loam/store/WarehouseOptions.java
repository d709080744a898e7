package io.loam.store;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * Where a warehouse is.
 *
 * @param warehouse a local directory, as a path or a {@code file:} URI
 * @param metastoreUrl JDBC URL of the metastore; null for the SQLite file {@value #METASTORE_FILE}
 *     in the warehouse
 */
public record WarehouseOptions(
        String warehouse,
        @Nullable String metastoreUrl,
        @Nullable String metastoreUser,
        @Nullable String metastorePassword)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Name of the embedded metastore's file. */
    public static final String METASTORE_FILE = "metastore.db";

    public WarehouseOptions {
        if (warehouse.isBlank()) {
            throw new IllegalArgumentException("the warehouse must be given: a local directory");
        }
    }

    /** A local directory with the embedded metastore. */
    public static WarehouseOptions local(Path directory) {
        return new WarehouseOptions(directory.toString(), null, null, null);
    }

    /** The same warehouse with another metastore. */
    public WarehouseOptions withMetastore(
            String url, @Nullable String user, @Nullable String password) {
        return new WarehouseOptions(warehouse, url, user, password);
    }

    /**
     * The warehouse's directory, absolute.
     *
     * @throws IllegalArgumentException if it is not a local one
     */
    public Path directory() {
        return toPath(warehouse).toAbsolutePath().normalize();
    }

    private static Path toPath(String warehouse) {
        if (!warehouse.matches("[A-Za-z][A-Za-z0-9+.-]*:.*")) {
            return Path.of(warehouse);
        }
        try {
            URI uri = new URI(warehouse);
            if ("file".equalsIgnoreCase(uri.getScheme()) && uri.getPath() != null) {
                return Path.of(uri.getPath());
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a warehouse's URI: " + warehouse, e);
        }
        throw new IllegalArgumentException(
                "a warehouse is a local directory, given as a path or a file: URI, not "
                        + warehouse);
    }

    /** The metastore's JDBC URL, the default put in. */
    public String effectiveMetastoreUrl() {
        return metastoreUrl != null
                ? metastoreUrl
                : "jdbc:sqlite:" + directory().resolve(METASTORE_FILE);
    }

    /** Without the password. */
    @Override
    public String toString() {
        String url = effectiveMetastoreUrl();
        int parameters = url.indexOf('?');
        return "warehouse "
                + warehouse
                + ", metastore "
                + (parameters < 0 ? url : url.substring(0, parameters));
    }
}
