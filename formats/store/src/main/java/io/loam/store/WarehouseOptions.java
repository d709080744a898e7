package io.loam.store;

import io.loam.store.retry.RetryOptions;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a warehouse is.
 *
 * @param warehouse a local directory, as a path or a {@code file:} URI; or a URI that an {@link
 *     io.loam.store.spi.ObjectStoreProvider} opens, such as {@code s3://bucket/folder}
 * @param metastoreUrl JDBC URL of the metastore; null for the SQLite file {@value #METASTORE_FILE}
 *     in a local warehouse
 * @param properties settings of the object store, such as {@code s3.endpoint}, none of them for a
 *     directory; and {@code retry.attempts}, {@code retry.first-pause-ms}, {@code
 *     retry.longest-pause-ms}
 */
public record WarehouseOptions(
        String warehouse,
        @Nullable String metastoreUrl,
        @Nullable String metastoreUser,
        @Nullable String metastorePassword,
        Map<String, String> properties)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Name of the embedded metastore's file. */
    public static final String METASTORE_FILE = "metastore.db";

    private static final Pattern URI_FORM = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):.*");

    public WarehouseOptions {
        if (warehouse.isBlank()) {
            throw new IllegalArgumentException(
                    "the warehouse must be given: a local directory, or a URI such as"
                            + " s3://bucket/folder");
        }
        properties = Map.copyOf(properties);
        RetryOptions.of(properties);
        Map<String, String> ofStore = ofStore(properties);
        if (!ofStore.isEmpty() && scheme(warehouse).equals("file")) {
            throw new IllegalArgumentException(
                    "the warehouse "
                            + warehouse
                            + " is a local directory, which has no settings such as "
                            + new TreeSet<>(ofStore.keySet()).first());
        }
    }

    private static Map<String, String> ofStore(Map<String, String> properties) {
        Map<String, String> ofStore = new HashMap<>(properties);
        ofStore.keySet().removeIf(RetryOptions::isSetting);
        return ofStore;
    }

    /** The settings that are the object store's own. */
    Map<String, String> storeProperties() {
        return ofStore(properties);
    }

    /** How often operations of the metastore, and of a local directory, are tried. */
    RetryOptions retry() {
        return RetryOptions.of(properties);
    }

    /** A warehouse without settings of its own. */
    public WarehouseOptions(
            String warehouse,
            @Nullable String metastoreUrl,
            @Nullable String metastoreUser,
            @Nullable String metastorePassword) {
        this(warehouse, metastoreUrl, metastoreUser, metastorePassword, Map.of());
    }

    /** A local directory with the embedded metastore. */
    public static WarehouseOptions local(Path directory) {
        return new WarehouseOptions(directory.toString(), null, null, null);
    }

    /** The same warehouse with another metastore. */
    public WarehouseOptions withMetastore(
            String url, @Nullable String user, @Nullable String password) {
        return new WarehouseOptions(warehouse, url, user, password, properties);
    }

    /** The same warehouse with these settings of its object store. */
    public WarehouseOptions withProperties(Map<String, String> settings) {
        return new WarehouseOptions(
                warehouse, metastoreUrl, metastoreUser, metastorePassword, settings);
    }

    /** Whether the objects are in a local directory. */
    public boolean isLocal() {
        return scheme().equals("file");
    }

    /** The URI scheme of the warehouse in lower case; {@code file} for a path. */
    String scheme() {
        return scheme(warehouse);
    }

    private static String scheme(String warehouse) {
        Matcher uri = URI_FORM.matcher(warehouse);
        return uri.matches() ? uri.group(1).toLowerCase(Locale.ROOT) : "file";
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
        if (!URI_FORM.matcher(warehouse).matches()) {
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
                warehouse + " is no local directory; give one as a path or a file: URI");
    }

    /**
     * The metastore's JDBC URL, the default put in.
     *
     * @throws IllegalArgumentException if the warehouse is no directory and no URL was given
     */
    public String effectiveMetastoreUrl() {
        if (metastoreUrl != null) {
            return metastoreUrl;
        }
        if (!isLocal()) {
            throw new IllegalArgumentException(
                    "the warehouse "
                            + warehouse
                            + " needs a metastore: an object store has no place for "
                            + METASTORE_FILE
                            + "; give the metastore's JDBC URL, such as"
                            + " jdbc:postgresql://host/database");
        }
        return "jdbc:sqlite:" + directory().resolve(METASTORE_FILE);
    }

    /** Without the password, and without the values of settings, which may be secret. */
    @Override
    public String toString() {
        String url = metastoreUrl == null && !isLocal() ? "not given" : effectiveMetastoreUrl();
        int parameters = url.indexOf('?');
        return "warehouse "
                + warehouse
                + ", metastore "
                + (parameters < 0 ? url : url.substring(0, parameters))
                + (properties.isEmpty()
                        ? ""
                        : ", settings " + String.join(", ", new TreeSet<>(properties.keySet())));
    }
}
