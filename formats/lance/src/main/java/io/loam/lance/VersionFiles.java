package io.loam.lance;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.RowAddress;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The data files of one version, which are checked before Lance reads them. */
final class VersionFiles {
    private static final int MOST_NAMED = 5;

    private final LanceManifest manifest;
    private final Map<Long, List<String>> ofFragment;
    private final DataFileChecks checks;

    VersionFiles(LanceManifest manifest, DataFileChecks checks) {
        this.manifest = manifest;
        this.checks = checks;
        this.ofFragment =
                manifest.fragments().stream()
                        .collect(Collectors.toMap(LanceFragment::id, LanceFragment::dataFiles));
    }

    /** Files that hold rows, as far as the version has them. */
    Set<String> ofRows(long[] rowIds) {
        Set<String> files = new LinkedHashSet<>();
        for (long rowId : rowIds) {
            manifest.locator()
                    .locate(rowId)
                    .map(RowAddress::fragmentId)
                    .map(ofFragment::get)
                    .ifPresent(files::addAll);
        }
        return files;
    }

    Set<String> ofFragments(Collection<Integer> fragments) {
        Set<String> files = new LinkedHashSet<>();
        fragments.forEach(
                id -> files.addAll(ofFragment.getOrDefault(Integer.toUnsignedLong(id), List.of())));
        return files;
    }

    void require(Set<String> files) throws IOException {
        checks.require(files);
    }

    /** Whether an index covers any rows of this version. */
    boolean isIndexed(String indexName) {
        return manifest.indexSegments().stream()
                .filter(segment -> segment.name().equals(indexName))
                .anyMatch(
                        segment -> segment.fragments().stream().anyMatch(ofFragment::containsKey));
    }

    /** How many segments an index has, of which some may cover no row of this version any more. */
    int segments(String indexName) {
        return (int)
                manifest.indexSegments().stream()
                        .filter(segment -> segment.name().equals(indexName))
                        .count();
    }

    /**
     * Checks what a search by an index reads: the index, and fragments that it does not cover.
     *
     * @throws io.loam.codec.CorruptException naming the file that is damaged
     */
    void requireIndex(String indexName) throws IOException {
        Set<Long> covered = new HashSet<>();
        for (LanceIndexSegment segment : manifest.indexSegments()) {
            if (segment.name().equals(indexName)) {
                checks.require(segment);
                covered.addAll(segment.fragments());
            }
        }
        Set<String> uncovered = new LinkedHashSet<>();
        ofFragment.forEach(
                (id, dataFiles) -> {
                    if (!covered.contains(id)) {
                        uncovered.addAll(dataFiles);
                    }
                });
        require(uncovered);
    }

    /** A failure of Lance's to search an index. */
    IOException indexFailure(String indexName, Exception e) {
        String segments =
                manifest.indexSegments().stream()
                        .filter(segment -> segment.name().equals(indexName))
                        .map(segment -> "_indices/" + segment.id())
                        .collect(Collectors.joining(", "));
        return new IOException(
                "could not search index "
                        + indexName
                        + " of "
                        + manifest.path()
                        + " ("
                        + segments
                        + "); an exact search does not need it: "
                        + e.getMessage(),
                e);
    }

    /** A failure of Lance's, which need not name any file. */
    IOException failure(Set<String> files, Exception e) {
        String some =
                files.stream()
                        .limit(MOST_NAMED)
                        .map(file -> manifest.path().replaceAll("_versions/.*", "") + file)
                        .collect(Collectors.joining(", "));
        return new IOException(
                "could not read rows of "
                        + manifest.path()
                        + " from "
                        + some
                        + (files.size() > MOST_NAMED
                                ? " and " + (files.size() - MOST_NAMED) + " more"
                                : "")
                        + ": "
                        + e.getMessage(),
                e);
    }
}
