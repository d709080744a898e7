package io.loam.jobs.cli;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.SchemaException;
import io.loam.codec.schema.SchemaJson;
import io.loam.codec.schema.SchemaValidator;
import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.MetastoreException;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Makes a collection. */
@Command(
        name = "create",
        description = "Make a collection, with its schema from a JSON file or from flags.",
        mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
    @Mixin WarehouseArguments warehouse;

    @Parameters(index = "0", paramLabel = "<collection>", description = "Its name.")
    String name;

    @Option(names = "--schema", paramLabel = "<file>", description = "JSON file of the schema.")
    @Nullable
    Path schemaFile;

    @ArgGroup(exclusive = false, heading = "Schema from flags:%n")
    @Nullable
    SchemaFlags flags;

    @Option(
            names = "--partitions",
            paramLabel = "<n>",
            defaultValue = "4",
            description =
                    "Partitions of its stream, 1..10000, for ever (default ${DEFAULT-VALUE}).")
    int partitions;

    @Option(
            names = "--topic",
            paramLabel = "<topic>",
            description = "Kafka topic of its stream; default loam.<namespace id>.<collection id>.")
    @Nullable
    String topic;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CollectionSchema schema = schema();
        requireCreatable(schema);
        try (Warehouse opened = warehouse.create()) {
            createNamespace(opened);
            CollectionInfo made;
            try {
                made =
                        opened.metastore()
                                .createCollection(
                                        warehouse.namespace, name, schema, partitions, topic);
            } catch (MetastoreException e) {
                if (e.code() == MetastoreException.Code.COLLECTION_EXISTS) {
                    spec.commandLine()
                            .getOut()
                            .println("collection " + name + " is there already, just like this");
                    return Loam.OK;
                }
                throw e;
            }
            spec.commandLine()
                    .getOut()
                    .printf(
                            "created collection %s (id %d), %d partitions, topic %s%n",
                            made.name(), made.id(), made.partitions(), made.topic());
            return Loam.OK;
        }
    }

    /** What the metastore would refuse is refused before there is a warehouse to clean up. */
    private void requireCreatable(CollectionSchema schema) {
        try {
            SchemaValidator.validateCreation(name, partitions, schema);
        } catch (SchemaException e) {
            throw new CliException(e.getMessage(), e);
        }
        boolean namespaceFits =
                !warehouse.namespace.isEmpty()
                        && !warehouse.namespace.startsWith("_")
                        && warehouse.namespace.indexOf('/') < 0;
        if (!namespaceFits) {
            throw new CliException(
                    "a namespace's name must not be empty, start with _ or hold a slash: \""
                            + warehouse.namespace
                            + "\"");
        }
        if (topic != null && !topic.matches("[A-Za-z0-9._-]{1,249}")) {
            throw new CliException(
                    "a topic consists of 1..249 letters, digits, dots, underscores and dashes, not \""
                            + topic
                            + "\"");
        }
    }

    private void createNamespace(Warehouse opened) throws MetastoreException {
        if (!opened.metastore().namespaces().contains(warehouse.namespace)) {
            opened.metastore().createNamespace(warehouse.namespace);
        }
    }

    private CollectionSchema schema() {
        if (schemaFile == null) {
            if (flags == null) {
                throw new CliException(
                        "give the schema: --schema <file>, or flags such as --text title --vector v:384");
            }
            return flags.schema();
        }
        if (flags != null && flags.given()) {
            throw new CliException("give the schema by --schema or by flags, not both");
        }
        try {
            CollectionSchema schema = SchemaJson.parse(Files.readAllBytes(schemaFile));
            SchemaValidator.validateCreation(name, partitions, schema);
            return schema;
        } catch (NoSuchFileException e) {
            throw new CliException("no schema file at " + schemaFile, e);
        } catch (IOException | SchemaException e) {
            throw new CliException("schema file " + schemaFile + ": " + ErrorText.of(e), e);
        }
    }
}
