package io.loam.jobs.cli;

import io.loam.codec.key.PrimaryKey;
import io.loam.store.CollectionHandle;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Optional;

/** Reads one document. */
@Command(
        name = "get",
        description = "Show the document of a key (42, name, '\"42\"' or '{\"uuid\":\"...\"}').",
        mixinStandardHelpOptions = true)
final class GetCommand extends CollectionCommand {
    @Parameters(index = "1", paramLabel = "<key>", description = "Its key.")
    String key;

    @Option(names = "--vectors", description = "Also its vectors.")
    boolean vectors;

    @Mixin VersionArguments version;

    @Override
    int run(CollectionHandle handle) throws Exception {
        PrimaryKey parsed = KeyText.parse(key);
        Projection projection = vectors ? Projection.ALL : Projection.SOURCES;
        try (CollectionReader reader = version.open(handle)) {
            Optional<StoredRow> row = reader.get(parsed, projection);
            if (row.isEmpty()) {
                spec.commandLine()
                        .getErr()
                        .println(
                                "loam: no document has the key "
                                        + key
                                        + " in version "
                                        + reader.manifest().version());
                return Loam.NOT_FOUND;
            }
            out().println(RowJson.of(row.get()));
            return Loam.OK;
        }
    }
}
