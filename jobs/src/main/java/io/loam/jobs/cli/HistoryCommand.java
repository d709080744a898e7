package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.history.History;
import io.loam.store.history.HistoryRow;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.time.Instant;
import java.util.List;

/** Shows what each commit did. */
@Command(
        name = "history",
        description = "Show each commit as what its user did, newest first.",
        mixinStandardHelpOptions = true)
final class HistoryCommand extends CollectionCommand {
    @Option(names = "--files", description = "Also the objects each commit made.")
    boolean files;

    @Override
    int run(CollectionHandle handle) throws Exception {
        List<HistoryRow> rows = History.of(handle).rows();
        Table table =
                new Table(
                        "version", "kind", "started", "what", "live docs", "splits", "bytes", "by");
        for (HistoryRow row : rows) {
            if (json) {
                out().println(json(row));
            }
            table.row(
                    row.version(),
                    row.kind(),
                    Instant.ofEpochMilli(row.startedAtMs()),
                    row.description() + (row.derived() ? " (derived)" : ""),
                    String.format("%+d", row.liveDocsDelta()),
                    "+" + row.splitsAdded() + " -" + row.splitsRemoved(),
                    row.bytesAdded(),
                    row.actor());
        }
        if (!json) {
            table.print(out());
            if (files) {
                rows.forEach(
                        row ->
                                row.files()
                                        .forEach(
                                                file ->
                                                        out().println(
                                                                        row.version()
                                                                                + "  "
                                                                                + file)));
            }
        }
        return Loam.OK;
    }

    private static JsonOut json(HistoryRow row) {
        return new JsonOut()
                .put("version", row.version())
                .put("attempt", row.attempt())
                .put("kind", row.kind())
                .put("uuid", row.uuid())
                .put("description", row.description())
                .put("actor", row.actor())
                .put("started_at_ms", row.startedAtMs())
                .put("splits_added", row.splitsAdded())
                .put("splits_removed", row.splitsRemoved())
                .put("live_docs_delta", row.liveDocsDelta())
                .put("bytes_added", row.bytesAdded())
                .put("derived", row.derived())
                .put("files", row.files());
    }
}
