package io.loam.codec.lance;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A segment of an index of a version.
 *
 * @param name shared by the segments of one index
 * @param fragments that it covers, as the version says; some need not be there any more
 * @param files as they were written; none if Lance wrote the version
 */
public record LanceIndexSegment(UUID id, String name, Set<Long> fragments, List<IndexFile> files) {
    public LanceIndexSegment {
        fragments = Set.copyOf(fragments);
        files = List.copyOf(files);
    }
}
