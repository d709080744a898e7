package io.loam.codec.manifest;

/** Names of tasks and leases in the metastore. */
public final class TaskKeys {
    /** Garbage collection of a whole warehouse. */
    public static final String GC = "gc";

    private TaskKeys() {}

    /** The lease of whoever runs a task. */
    public static String lease(String task) {
        return "task/" + task;
    }

    /** Applying a collection's records. */
    public static String apply(long collection) {
        return "apply/" + Long.toUnsignedString(collection);
    }

    /** Applying the records of a link, where other implementations run one task per link. */
    public static String link(long link) {
        return "link/" + Long.toUnsignedString(link);
    }

    public static String buildIndexes(long collection) {
        return "collection-index/" + Long.toUnsignedString(collection);
    }

    public static String mergeSplits(long collection) {
        return "collection-merge/" + Long.toUnsignedString(collection);
    }

    public static String compact(long collection) {
        return "collection-compact/" + Long.toUnsignedString(collection);
    }

    public static String trim(long collection) {
        return "collection-trim/" + Long.toUnsignedString(collection);
    }

    /** Building the hot artifact of dense vector {@code vector}. */
    public static String buildHot(long collection, int vector) {
        return "hot-build/" + Long.toUnsignedString(collection) + "/" + vector;
    }

    /** Lease of whoever loads a collection's hot artifacts. */
    public static String promoteHot(long namespace, long collection) {
        return "hot-promote/"
                + Long.toUnsignedString(namespace)
                + "/"
                + Long.toUnsignedString(collection);
    }
}
