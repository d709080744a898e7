package io.loam.jobs.cli;

import io.loam.codec.key.PrimaryKey;
import io.loam.store.CollectionHandle;
import io.loam.store.metastore.Tag;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.Tags;

import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Which documents are erased. */
final class ErasedKeysArguments {
    @Option(
            names = "--key",
            paramLabel = "<key>",
            description = "Key of a document (42, name, '\"42\"' or '{\"uuid\":\"...\"}').")
    List<String> keys = new ArrayList<>();

    @Option(
            names = "--keys-file",
            paramLabel = "<file>",
            description = "Keys, one a line, written the same way.")
    @Nullable
    Path keysFile;

    @Option(
            names = "--where",
            paramLabel = "<query>",
            description =
                    "The documents that match this text query now, or match in a tagged"
                            + " version and are gone now.")
    @Nullable
    String where;

    /** Keys that were named; none if none were. */
    Set<PrimaryKey> named() throws IOException {
        Set<PrimaryKey> named = new TreeSet<>();
        for (String key : keys) {
            named.add(KeyText.parse(key));
        }
        if (keysFile != null) {
            for (String line : Files.readAllLines(keysFile, StandardCharsets.UTF_8)) {
                if (!line.isBlank()) {
                    named.add(KeyText.parse(line.strip()));
                }
            }
        }
        return named;
    }

    /**
     * The same and what the query finds.
     *
     * @param others keys whose documents match in a tagged version only, but are there; left out
     */
    Set<PrimaryKey> all(CollectionHandle handle, Set<PrimaryKey> others) throws IOException {
        Set<PrimaryKey> all = named();
        if (where != null) {
            SearchQuery query = parse(handle);
            try (CollectionReader live = CollectionReader.open(handle)) {
                all.addAll(matches(live, query));
                addTagged(handle, live, query, all, others);
            }
        }
        return all;
    }

    private SearchQuery parse(CollectionHandle handle) {
        try {
            return QueryParser.parse(where, handle.schema());
        } catch (InvalidQueryException e) {
            throw new CliException("--where: " + e.getMessage(), e);
        }
    }

    private static List<PrimaryKey> matches(CollectionReader reader, SearchQuery query)
            throws IOException {
        long[] rows = reader.rowsMatching(query);
        return rows.length == 0
                ? List.of()
                : reader.rows().takeAll(rows, Projection.KEYS).stream()
                        .map(StoredRow::key)
                        .toList();
    }

    private static void addTagged(
            CollectionHandle handle,
            CollectionReader live,
            SearchQuery query,
            Set<PrimaryKey> all,
            Set<PrimaryKey> others)
            throws IOException {
        for (Tag tag : new Tags(handle).standing()) {
            try (CollectionReader tagged = CollectionReader.openTag(handle, tag.name())) {
                for (PrimaryKey key : matches(tagged, query)) {
                    if (!all.contains(key)) {
                        boolean there = live.get(key, Projection.KEYS).isPresent();
                        (there ? others : all).add(key);
                    }
                }
            }
        }
    }
}
