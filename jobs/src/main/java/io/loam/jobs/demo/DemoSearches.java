package io.loam.jobs.demo;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.store.CollectionHandle;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** The searches the demo ends with. */
final class DemoSearches {
    private static final int K = 3;

    private final CollectionHandle handle;
    private final GlossEmbeddings embeddings;
    private final PrintWriter out;

    DemoSearches(CollectionHandle handle, GlossEmbeddings embeddings, PrintWriter out) {
        this.handle = handle;
        this.embeddings = embeddings;
        this.out = out;
    }

    void run() throws IOException {
        try (CollectionReader reader = CollectionReader.open(handle)) {
            text(reader, "water living animal");
            text(reader, "gloss:\"United States\"");
            text(reader, "+gloss:person +pos:noun senses:[3 TO *]");
            boolean vectors = nearest(reader, "a feeling of great happiness");
            if (vectors) {
                nearest(reader, "very small living things");
            }
        }
        out.flush();
    }

    private void text(CollectionReader reader, String query) throws IOException {
        out.println();
        out.println("Text search: " + query);
        List<SearchResult> hits =
                reader.search(QueryParser.parse(query, handle.schema()), K, Projection.SOURCES);
        for (SearchResult hit : hits) {
            out.println(String.format(Locale.ROOT, "  %7.3f  %s", hit.score(), line(hit.row())));
        }
        if (hits.isEmpty()) {
            out.println("  no hits");
        }
    }

    private boolean nearest(CollectionReader reader, String sentence) throws IOException {
        out.println();
        out.println("Vector search: \"" + sentence + "\"");
        List<ScoredRow> hits =
                reader.nearest(
                        DemoPlan.VECTOR, embeddings.embed(sentence), K, null, Projection.SOURCES);
        for (ScoredRow hit : hits) {
            out.println(String.format(Locale.ROOT, "  %7.3f  %s", hit.distance(), line(hit.row())));
        }
        if (hits.isEmpty()) {
            out.println("  no document has a vector");
        }
        return !hits.isEmpty();
    }

    private static String line(StoredRow row) {
        JsonObject source = Json.parseObject(row.source());
        JsonValue gloss = source.members().get("gloss");
        String text = gloss == null ? "" : ((JsonValue.JsonString) gloss).value();
        String shown = text.length() <= 80 ? text : text.substring(0, 77) + "...";
        return row.key() + "  " + Json.text(source.members().get("lemmas")) + "  " + shown;
    }
}
