package io.loam.jobs.cli;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.history.History;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;

/** Shows the manifest chain. */
@Command(
        name = "manifests",
        description = "Show the retained manifests, newest first.",
        mixinStandardHelpOptions = true)
public final class ManifestsCommand extends CollectionCommand {
    @Option(
            names = "--limit",
            paramLabel = "<n>",
            defaultValue = "50",
            description = "At most so many (default ${DEFAULT-VALUE}).")
    int limit;

    @Override
    int run(CollectionHandle handle) throws Exception {
        if (limit < 0) {
            throw new CliException("--limit must not be negative, it is " + limit);
        }
        List<Link> links = History.of(handle).manifests();
        print(links.subList(0, Math.min(limit, links.size())), json, out());
        return Loam.OK;
    }

    /** Prints links as a table or as JSON lines. */
    public static void print(List<Link> links, boolean json, PrintWriter out) {
        Table table =
                new Table(
                        "version",
                        "kind",
                        "committed",
                        "live",
                        "splits",
                        "deleted",
                        "dead letters",
                        "applied",
                        "checkpoint");
        for (Link link : links) {
            CollectionManifest manifest = link.manifest();
            long deleted = manifest.splits().stream().mapToLong(SplitRef::deletedCount).sum();
            String checkpoint =
                    manifest.properties().getOrDefault(ManifestProperties.CHECKPOINT, "-");
            table.row(
                    manifest.version(),
                    manifest.kind(),
                    Instant.ofEpochMilli(manifest.createdAtMs()),
                    manifest.liveDocCount(),
                    manifest.splits().size(),
                    deleted,
                    manifest.deadLettersTotal(),
                    manifest.applied(),
                    checkpoint);
            if (json) {
                out.println(
                        new JsonOut()
                                .put("version", manifest.version())
                                .put("path", link.path())
                                .put("kind", manifest.kind())
                                .put("created_at_ms", manifest.createdAtMs())
                                .put("live_documents", manifest.liveDocCount())
                                .put("splits", manifest.splits().size())
                                .put("deleted_documents", deleted)
                                .putUnsigned("lance_version", manifest.lanceVersion())
                                .put("applied", manifest.applied())
                                .put("dead_letters_total", manifest.deadLettersTotal())
                                .put("checkpoint", checkpoint));
            }
        }
        if (!json) {
            table.print(out);
        }
    }
}
