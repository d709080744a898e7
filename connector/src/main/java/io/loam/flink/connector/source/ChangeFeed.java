package io.loam.flink.connector.source;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestFollower;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.read.ChangeReader;
import io.loam.store.spi.Projection;

import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One share of the changes, from version to version. */
final class ChangeFeed implements AutoCloseable {
    private static final int ROWS_AT_ONCE = 512;

    /**
     * Some rows of one version.
     *
     * @param done the version, if these are its last
     */
    record Batch(List<ScannedRow> rows, @Nullable Long done) {
        static final Batch NOTHING = new Batch(List.of(), null);

        boolean isNothing() {
            return done == null && rows.isEmpty();
        }
    }

    private final ChangesReader.Opening opening;
    private final Projection projection;
    private final CollectionSplit split;

    /** Rows that were emitted before a restart. */
    private long skip;

    @Nullable private ManifestFollower follower;
    @Nullable private ChangeReader changes;

    /** The version before the one that is read. */
    @Nullable private CollectionManifest from;

    private long version;

    ChangeFeed(ChangesReader.Opening opening, Projection projection, CollectionSplit split) {
        this.opening = opening;
        this.projection = projection;
        this.split = split;
        this.skip = split.emitted();
    }

    String id() {
        return split.splitId();
    }

    /**
     * The next rows; nothing if there is no newer version yet.
     *
     * @throws SnapshotExpiredException if a version that is needed is not retained any more
     */
    Batch read() throws IOException {
        try {
            return changes == null && !openNext() ? Batch.NOTHING : batch();
        } catch (SnapshotExpiredException e) {
            throw told(e, e);
        } catch (IOException | RuntimeException e) {
            requireRetained(e);
            throw e;
        }
    }

    /** Files are collected when their version is not retained any more; that is the reason then. */
    private void requireRetained(Exception failure) throws IOException {
        try {
            if (from != null) {
                ManifestFollower.at(opening.get(), from.version());
            }
        } catch (SnapshotExpiredException e) {
            throw told(e, failure);
        }
    }

    private static SnapshotExpiredException told(SnapshotExpiredException what, Exception cause) {
        SnapshotExpiredException told =
                new SnapshotExpiredException(
                        what.getMessage()
                                + "; what changed there cannot be read any more. Start anew without"
                                + " the old state: with mode full, or from a version that is"
                                + " retained");
        told.initCause(cause);
        return told;
    }

    private boolean openNext() throws IOException {
        CollectionHandle collection = opening.get();
        if (follower == null) {
            follower = ManifestFollower.at(collection, split.version());
        }
        from = follower.current();
        CollectionManifest to = follower.next();
        if (to == null) {
            return false;
        }
        version = to.version();
        changes =
                ChangeReader.open(
                        collection, from, to, projection, (int) split.number(), split.parts());
        return true;
    }

    private Batch batch() throws IOException {
        List<ScannedRow> rows = new ArrayList<>();
        while (rows.size() < ROWS_AT_ONCE) {
            ChangeReader.Change change = changes.next();
            if (change == null) {
                if (skip > 0) {
                    throw new IOException(
                            id()
                                    + ": version "
                                    + version
                                    + " has "
                                    + skip
                                    + " changes less than were emitted of it before");
                }
                closeChanges();
                return new Batch(rows, version);
            }
            add(change, rows);
        }
        return new Batch(rows, null);
    }

    private void add(ChangeReader.Change change, List<ScannedRow> rows) {
        if (change.before() == null) {
            add(new ScannedRow(RowKind.INSERT, change.after(), version, 0), rows);
        } else if (change.after() == null) {
            add(new ScannedRow(RowKind.DELETE, change.before(), version, 0), rows);
        } else {
            add(new ScannedRow(RowKind.UPDATE_BEFORE, change.before(), version, 0), rows);
            add(new ScannedRow(RowKind.UPDATE_AFTER, change.after(), version, 0), rows);
        }
    }

    private void add(ScannedRow row, List<ScannedRow> rows) {
        if (skip > 0) {
            skip--;
        } else {
            rows.add(row);
        }
    }

    private void closeChanges() throws IOException {
        try (ChangeReader closing = changes) {
            changes = null;
        }
    }

    @Override
    public void close() throws IOException {
        closeChanges();
    }
}
