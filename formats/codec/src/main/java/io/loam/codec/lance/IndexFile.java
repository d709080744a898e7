package io.loam.codec.lance;

import java.io.Serializable;

/**
 * A file of an index segment, as it was written.
 *
 * @param name below the segment's folder
 */
public record IndexFile(String name, long bytes, int crc32c) implements Serializable {
    private static final long serialVersionUID = 1L;
}
