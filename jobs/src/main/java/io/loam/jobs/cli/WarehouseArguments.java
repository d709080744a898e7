package io.loam.jobs.cli;

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

/** Where the data is: options every command takes. */
final class WarehouseArguments {
    @Option(
            names = "--warehouse",
            paramLabel = "<dir>",
            defaultValue = "${env:LOAM_WAREHOUSE:-.loam/warehouse}",
            description = "Folder of the objects (default ${DEFAULT-VALUE}; LOAM_WAREHOUSE).")
    Path warehouse;

    @Option(
            names = "--metastore",
            paramLabel = "<jdbc url>",
            defaultValue = "${env:LOAM_METASTORE:-}",
            description =
                    "JDBC URL of the metastore: jdbc:postgresql://... or jdbc:sqlite:...; "
                            + "default: metastore.db in the warehouse (LOAM_METASTORE).")
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
        WarehouseOptions options = WarehouseOptions.local(warehouse.toAbsolutePath().normalize());
        return metastore.isEmpty()
                ? options
                : options.withMetastore(metastore, given(user), given(password));
    }

    @Nullable
    private static String given(String value) {
        return value.isEmpty() ? null : value;
    }

    /** Opens what must be there already, so that a typing error makes no empty warehouse. */
    Warehouse open() throws IOException {
        if (!Files.isDirectory(warehouse)) {
            throw new CliException(
                    "no warehouse at "
                            + warehouse.toAbsolutePath().normalize()
                            + "; name it with --warehouse, or make it with loam create");
        }
        return Warehouse.open(options());
    }

    /** Opens, making what is missing. */
    Warehouse create() throws IOException {
        if (!metastore.isEmpty() && !metastore.startsWith("jdbc:sqlite:")) {
            // Asked first, so that a database out of reach leaves no empty warehouse.
            JdbcMetastore.open(metastore, given(user), given(password)).close();
        }
        return Warehouse.openOrCreate(options());
    }

    CollectionHandle collection(Warehouse opened, String name) throws IOException {
        try {
            return opened.open(namespace, name);
        } catch (MetastoreException e) {
            if (e.code() == MetastoreException.Code.COLLECTION_NOT_FOUND
                    || e.code() == MetastoreException.Code.NAMESPACE_NOT_FOUND) {
                throw new CliException(
                        "no collection \""
                                + name
                                + "\" in namespace \""
                                + namespace
                                + "\"; make it with loam create, list them with loam describe",
                        e);
            }
            throw e;
        }
    }
}
