package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.SchemaJson;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import javax.annotation.Nullable;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;

/** Shows one collection, or lists all. */
@Command(
        name = "describe",
        description = "Show a collection: schema, live version, offsets, sizes; or list all.",
        mixinStandardHelpOptions = true)
final class DescribeCommand implements Callable<Integer> {
    @Mixin WarehouseArguments warehouse;

    @Mixin VersionArguments version;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Parameters(index = "0", arity = "0..1", paramLabel = "<collection>", description = "Its name.")
    @Nullable
    String collection;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (Warehouse opened = warehouse.open()) {
            if (collection == null) {
                if (version.names()) {
                    throw new CliException("--at and --tag need the name of a collection");
                }
                list(opened, out);
            } else {
                try (CollectionHandle handle = warehouse.collection(opened, collection)) {
                    show(handle, out);
                }
            }
        }
        out.flush();
        return Loam.OK;
    }

    private void list(Warehouse opened, PrintWriter out) throws Exception {
        Table table = new Table("namespace", "collection", "id", "partitions", "topic");
        for (String namespace : opened.metastore().namespaces()) {
            for (CollectionInfo info : opened.metastore().collections(namespace)) {
                if (json) {
                    out.println(identity(info));
                }
                table.row(namespace, info.name(), info.id(), info.partitions(), info.topic());
            }
        }
        if (!json) {
            table.print(out);
        }
    }

    private static JsonOut identity(CollectionInfo info) {
        return new JsonOut()
                .put("namespace", info.namespace())
                .put("collection", info.name())
                .put("id", info.id())
                .put("partitions", info.partitions())
                .put("topic", info.topic());
    }

    private void show(CollectionHandle handle, PrintWriter out) throws Exception {
        CollectionInfo info = handle.info();
        CollectionManifest live = version.manifest(handle);
        long deleted = live.splits().stream().mapToLong(SplitRef::deletedCount).sum();
        long bytes = live.splits().stream().mapToLong(SplitRef::sizeBytes).sum();
        if (json) {
            JsonValue schema = Json.parse(SchemaJson.print(info.schema()));
            out.println(
                    identity(info)
                            .put("schema", schema)
                            .put("version", live.version())
                            .put("live_documents", live.liveDocCount())
                            .put("splits", live.splits().size())
                            .put("deleted_documents", deleted)
                            .put("split_bytes", bytes)
                            .putUnsigned("lance_version", live.lanceVersion())
                            .put("applied", live.applied())
                            .put("dead_letters_total", live.deadLettersTotal())
                            .put("skipped_offsets_total", live.skippedOffsetsTotal())
                            .put("properties", live.properties()));
            return;
        }
        Table table = new Table("property", "value");
        table.row("collection", info.namespace() + "." + info.name() + " (id " + info.id() + ")");
        table.row("topic", info.topic() + ", " + info.partitions() + " partitions");
        table.row("schema", "version " + info.schema().version() + ", " + fields(info.schema()));
        table.row(
                version.names() ? "version" : "live version",
                live.version() == 0 ? "none yet" : live.version());
        table.row(
                "committed", live.version() == 0 ? "-" : Instant.ofEpochMilli(live.createdAtMs()));
        table.row("live documents", live.liveDocCount());
        table.row(
                "splits",
                live.splits().size()
                        + " of "
                        + bytes
                        + " bytes, "
                        + deleted
                        + " deleted documents");
        table.row("applied", live.applied());
        table.row("dead letters", live.deadLettersTotal());
        table.row("skipped offsets", live.skippedOffsetsTotal());
        table.row("writer", live.properties().getOrDefault(ManifestProperties.WRITER, "-"));
        table.row("mode", live.properties().getOrDefault(ManifestProperties.MODE, "-"));
        table.print(out);
    }

    private static String fields(CollectionSchema schema) {
        StringBuilder text = new StringBuilder();
        schema.fields().forEach(field -> text.append(field.name()).append(' '));
        schema.vectors()
                .forEach(v -> text.append(v.name()).append('[').append(v.dim()).append("] "));
        schema.sparseVectors().forEach(v -> text.append(v.name()).append("[sparse] "));
        return text.length() == 0 ? "no fields" : text.toString().trim();
    }
}
