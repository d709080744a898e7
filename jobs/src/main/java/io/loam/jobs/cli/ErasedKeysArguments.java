package io.loam.jobs.cli;

import io.loam.codec.key.PrimaryKey;
import io.loam.store.CollectionHandle;
import io.loam.store.erase.MatchingKeys;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;

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
                    "The documents that match this text query now, or match in a version that is"
                            + " retained or tagged and are gone now.")
    @Nullable
    String where;

    @Option(
            names = "--changed",
            description =
                    "With --where: also those that match in an older version only and are"
                            + " something else now.")
    boolean changed;

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

    /** A query finds documents that are there; an erasure that goes on has its keys. */
    void requireNoQuery() {
        if (where != null || changed) {
            throw new CliException(
                    "--where and --changed begin an erasure; to --resume or --verify one, name its"
                            + " keys with --key or --keys-file");
        }
    }

    /**
     * The same and what the query finds.
     *
     * @param others keys whose documents matched in an older version and are something else now;
     *     left out, unless they are asked for
     */
    Set<PrimaryKey> all(CollectionHandle handle, Set<PrimaryKey> others) throws IOException {
        Set<PrimaryKey> all = named();
        if (changed && where == null) {
            throw new CliException("--changed goes with --where");
        }
        if (where != null) {
            MatchingKeys found = MatchingKeys.of(handle, parse(handle));
            all.addAll(found.keys());
            (changed ? all : others).addAll(found.changed());
            others.removeAll(all);
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
}
