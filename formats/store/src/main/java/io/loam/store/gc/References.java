package io.loam.store.gc;

import java.util.Collection;
import java.util.NavigableSet;
import java.util.TreeSet;

/** Paths that something refers to. One that ends with a slash stands for all below it. */
final class References {
    private final NavigableSet<String> paths = new TreeSet<>();

    void add(String path) {
        paths.add(path);
    }

    void addAll(Collection<String> more) {
        paths.addAll(more);
    }

    void addAll(References more) {
        paths.addAll(more.paths);
    }

    /** Whether the object, or a prefix of it, is referred to. */
    boolean holds(String path) {
        if (paths.contains(path)) {
            return true;
        }
        for (int slash = path.lastIndexOf('/');
                slash > 0;
                slash = path.lastIndexOf('/', slash - 1)) {
            if (paths.contains(path.substring(0, slash + 1))) {
                return true;
            }
        }
        return false;
    }
}
