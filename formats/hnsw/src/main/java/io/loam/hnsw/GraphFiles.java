package io.loam.hnsw;

import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;

import java.io.IOException;
import java.nio.file.Path;

/** The directory of a graph's files, and the names in it. */
final class GraphFiles {
    static final String VECTOR = "vector";
    static final String ROW = "row";

    private GraphFiles() {}

    /** Without a lock file: whoever builds or opens a graph has its directory to himself. */
    static FSDirectory directory(Path dir) throws IOException {
        try {
            return new MMapDirectory(dir, NoLockFactory.INSTANCE);
        } catch (LinkageError e) {
            // On newer Javas Lucene maps files by classes that only its own jar has.
            return new NIOFSDirectory(dir, NoLockFactory.INSTANCE);
        }
    }
}
