package io.loam.jobs.cli;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.spi.StoredRow;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Searches text, or vectors. */
@Command(
        name = "search",
        description = {
            "Search: a text query, or the nearest neighbours of a vector or a document.",
            "Query syntax: docs/search.md."
        },
        mixinStandardHelpOptions = true)
final class SearchCommand extends CollectionCommand {
    @Parameters(index = "1", arity = "0..1", paramLabel = "<query>", description = "Text query.")
    @Nullable
    String query;

    @Option(
            names = "-k",
            paramLabel = "<n>",
            defaultValue = "10",
            description = "Hits (default 10).")
    int k;

    @Option(
            names = "--filter",
            paramLabel = "<query>",
            description = "Only documents that match this; does not score.")
    @Nullable
    String filter;

    @Option(names = "--vector", paramLabel = "<name>", description = "Search this dense vector.")
    @Nullable
    String vector;

    @Option(
            names = "--values",
            paramLabel = "<x,y,...>",
            split = ",",
            description = "The query vector.")
    @Nullable
    float[] values;

    @Option(
            names = "--like",
            paramLabel = "<key>",
            description = "The query vector is that of this document.")
    @Nullable
    String like;

    @Option(
            names = "--exact",
            description = "Compare with every vector, also where there is an index.")
    boolean exact;

    @Option(names = "--explain", description = "Print first how a search of the vector is served.")
    boolean explain;

    @Mixin VersionArguments version;

    @Override
    int run(CollectionHandle handle) throws Exception {
        try (CollectionReader reader = version.open(handle)) {
            CollectionSchema schema = handle.schema();
            SearchQuery parsedFilter = filter == null ? null : parse(filter, schema);
            if (vector != null) {
                float[] target = target(reader, schema);
                SearchEffort effort = exact ? SearchEffort.EXACT : SearchEffort.DEFAULT;
                if (explain) {
                    String way = reader.explainNearest(vector, parsedFilter != null, effort);
                    out().println(json ? new JsonOut().put("served_by", way) : "served by: " + way);
                }
                nearest(
                        reader.nearest(
                                vector, target, k, parsedFilter, effort, Projection.SOURCES));
            } else if (query != null && values == null && like == null) {
                SearchQuery parsed = parse(query, schema);
                SearchQuery both =
                        parsedFilter == null
                                ? parsed
                                : new SearchQuery.Bool(
                                        List.of(parsed),
                                        List.of(),
                                        List.of(parsedFilter),
                                        List.of());
                ranked(reader.search(both, k, Projection.SOURCES));
            } else {
                throw new CliException(
                        "give a text query, or --vector <name> with --values or --like");
            }
        }
        return Loam.OK;
    }

    private static SearchQuery parse(String text, CollectionSchema schema) {
        try {
            return QueryParser.parse(text, schema);
        } catch (InvalidQueryException e) {
            throw new CliException(e.getMessage(), e);
        }
    }

    private float[] target(CollectionReader reader, CollectionSchema schema) throws Exception {
        boolean known = schema.vectors().stream().anyMatch(v -> v.name().equals(vector));
        if (!known) {
            throw new CliException(
                    "the schema has no vector \""
                            + vector
                            + "\"; it has "
                            + schema.vectors().stream().map(v -> v.name()).toList());
        }
        if ((values == null) == (like == null) || query != null) {
            throw new CliException("with --vector give either --values or --like, and no query");
        }
        if (values != null) {
            int dim =
                    schema.vectors().stream()
                            .filter(v -> v.name().equals(vector))
                            .findFirst()
                            .orElseThrow()
                            .dim();
            if (values.length != dim) {
                throw new CliException(
                        "vector \""
                                + vector
                                + "\" has "
                                + dim
                                + " dimensions, --values "
                                + values.length);
            }
            return values;
        }
        PrimaryKey key = KeyText.parse(like);
        StoredRow row =
                reader.get(key, Projection.ALL)
                        .orElseThrow(() -> new CliException("no document has the key " + like));
        float[] own = row.vectors().get(vector);
        if (own == null) {
            throw new CliException("document " + like + " has no vector \"" + vector + "\"");
        }
        return own;
    }

    private void ranked(List<SearchResult> hits) {
        Table table = new Table("score", "key", "source");
        for (SearchResult hit : hits) {
            if (json) {
                out().println(RowJson.of(hit.row()).put("score", hit.score()));
            }
            table.row(String.format("%.4f", hit.score()), hit.row().key(), source(hit.row()));
        }
        finish(table);
    }

    private void nearest(List<ScoredRow> hits) {
        Table table = new Table("distance", "key", "source");
        for (ScoredRow hit : hits) {
            if (json) {
                out().println(RowJson.of(hit.row()).put("distance", hit.distance()));
            }
            table.row(String.format("%.4f", hit.distance()), hit.row().key(), source(hit.row()));
        }
        finish(table);
    }

    private void finish(Table table) {
        if (json) {
            return;
        }
        if (table.isEmpty()) {
            out().println("no hits");
        } else {
            table.print(out());
        }
    }

    private static String source(StoredRow row) {
        return new String(row.source(), StandardCharsets.UTF_8);
    }
}
