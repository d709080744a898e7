package io.loam.jobs.cli;

import io.loam.s3.S3Options;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.MetastoreException;

import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Where the data is: options every command takes. */
final class WarehouseArguments {
    private static final String S3 = "s3.";

    @Option(
            names = "--warehouse",
            paramLabel = "<dir or URI>",
            defaultValue = "${env:LOAM_WAREHOUSE:-.loam/warehouse}",
            description =
                    "Where the objects are: a folder, or s3://bucket/folder (default"
                            + " ${DEFAULT-VALUE}; LOAM_WAREHOUSE).")
    String warehouse;

    @Option(
            names = "--s3",
            paramLabel = "<option=value>",
            description =
                    "An option of a warehouse in S3, such as endpoint=http://host:9000; keys rather"
                            + " by LOAM_S3_ACCESS_KEY and LOAM_S3_SECRET_KEY, or as for other"
                            + " programs that use S3.")
    Map<String, String> s3 = new TreeMap<>();

    @Option(
            names = "--retry",
            paramLabel = "<option=value>",
            description =
                    "How often operations of the stores are tried: attempts (default 6),"
                            + " first-pause-ms (200), longest-pause-ms (5000).")
    Map<String, String> retry = new TreeMap<>();

    @Option(
            names = "--metastore",
            paramLabel = "<jdbc url>",
            defaultValue = "${env:LOAM_METASTORE:-}",
            description =
                    "JDBC URL of the metastore: jdbc:postgresql://... or jdbc:sqlite:...; "
                            + "default: metastore.db in the warehouse's folder (LOAM_METASTORE).")
    String metastore;

    @Option(
            names = "--metastore-user",
            paramLabel = "<user>",
            defaultValue = "${env:LOAM_METASTORE_USER:-}",
            description = "Database user (LOAM_METASTORE_USER).")
    String user;

    @Option(
            names = "--metastore-password",
            paramLabel = "<password>",
            defaultValue = "${env:LOAM_METASTORE_PASSWORD:-}",
            description = "Database password; prefer LOAM_METASTORE_PASSWORD.")
    String password;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "<name>",
            defaultValue = "default",
            description = "Namespace (default ${DEFAULT-VALUE}).")
    String namespace;

    WarehouseOptions options() {
        try {
            WarehouseOptions options = new WarehouseOptions(warehouse, null, null, null);
            options =
                    options.isLocal()
                            ? WarehouseOptions.local(options.directory())
                                    .withProperties(withRetry(s3Given()))
                            : options.withProperties(withRetry(s3Settings()));
            return metastore.isEmpty()
                    ? options
                    : options.withMetastore(metastore, given(user), given(password));
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
    }

    private Map<String, String> s3Given() {
        return prefixed(S3, s3);
    }

    private static Map<String, String> prefixed(String prefix, Map<String, String> options) {
        Map<String, String> prefixed = new TreeMap<>();
        options.forEach(
                (name, value) ->
                        prefixed.put(name.startsWith(prefix) ? name : prefix + name, value));
        return prefixed;
    }

    private Map<String, String> withRetry(Map<String, String> settings) {
        settings.putAll(prefixed("retry.", retry));
        return settings;
    }

    /** What was given and, for what was not, the environment's LOAM_S3_... */
    private Map<String, String> s3Settings() {
        Map<String, String> settings = new TreeMap<>();
        for (String name : S3Options.all()) {
            String value =
                    System.getenv("LOAM_" + name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_"));
            if (value != null) {
                settings.put(name, value);
            }
        }
        settings.putAll(s3Given());
        return settings;
    }

    /** A folder of this machine that belongs to the warehouse but is not part of it. */
    Path beside(String name) {
        WarehouseOptions options = options();
        return options.isLocal()
                ? options.directory().resolveSibling(name)
                : Path.of(".loam", name).toAbsolutePath();
    }

    @Nullable
    private static String given(String value) {
        return value.isEmpty() ? null : value;
    }

    /** Opens what must be there already, so that a typing error makes no empty warehouse. */
    Warehouse open() throws IOException {
        WarehouseOptions options = options();
        if (options.isLocal() && !Files.isDirectory(options.directory())) {
            throw new CliException(
                    "no warehouse at "
                            + options.directory()
                            + "; name it with --warehouse, or make it with loam create");
        }
        requireMetastore(options);
        return opened(() -> Warehouse.open(options));
    }

    /** Opens, making what is missing. */
    Warehouse create() throws IOException {
        WarehouseOptions options = options();
        requireMetastore(options);
        if (!metastore.isEmpty() && !metastore.startsWith("jdbc:sqlite:")) {
            // Asked first, so that a database out of reach leaves no empty warehouse.
            JdbcMetastore.open(metastore, given(user), given(password)).close();
        }
        return opened(() -> Warehouse.openOrCreate(options));
    }

    private void requireMetastore(WarehouseOptions options) {
        if (!options.isLocal() && metastore.isEmpty()) {
            throw new CliException(
                    "the warehouse "
                            + warehouse
                            + " needs a metastore; name it with --metastore jdbc:postgresql://..."
                            + " or LOAM_METASTORE");
        }
    }

    private interface Opening {
        Warehouse run() throws IOException;
    }

    private static Warehouse opened(Opening opening) throws IOException {
        try {
            return opening.run();
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
    }

    CollectionHandle collection(Warehouse opened, String name) throws IOException {
        try {
            return opened.open(namespace, name);
        } catch (MetastoreException e) {
            if (e.code() == MetastoreException.Code.COLLECTION_NOT_FOUND
                    || e.code() == MetastoreException.Code.NAMESPACE_NOT_FOUND) {
                throw new CliException(
                        "no collection "
                                + quoted(name)
                                + " in namespace "
                                + quoted(namespace)
                                + "; make it with loam create, list them with loam describe",
                        e);
            }
            throw e;
        }
    }

    /** A name with a line end in it must not cut the message. */
    private static String quoted(String name) {
        return '"' + ErrorText.line(name) + '"';
    }
}
