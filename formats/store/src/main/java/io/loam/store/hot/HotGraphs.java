package io.loam.store.hot;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.RowIdSet;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.store.LocalFiles;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.HotGraph;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The open graphs of a collection, for all its readers: of each column the one that was asked for
 * last, until another one is or this is closed, and others while a reader uses them. So a graph is
 * not read again with every version. May be used from any thread; who asks while another opens one
 * waits.
 */
public final class HotGraphs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HotGraphs.class);

    private final ObjectStore objects;
    private final HotSearch.Source<Optional<HotEngine>> engines;
    private final Map<String, Held> newest = new HashMap<>();
    private boolean closed;

    /** A graph and how many readers use it. */
    static final class Held {
        final OpenHot open;
        private int uses;
        private boolean retired;

        Held(OpenHot open) {
            this.open = open;
        }
    }

    /**
     * @param engines asked when there is a graph to open; without one no graph is ours
     */
    public HotGraphs(ObjectStore objects, HotSearch.Source<Optional<HotEngine>> engines) {
        this.objects = objects;
        this.engines = engines;
    }

    /**
     * The graph of an artifact, to be released.
     *
     * @return null if its engine is not ours, or it is for other vectors
     * @throws CorruptException naming what is damaged
     */
    @Nullable
    synchronized Held acquire(HotArtifactRef artifact, Vector vector) throws IOException {
        if (closed) {
            throw new IllegalStateException("the collection was closed");
        }
        Held held = newest.get(artifact.column());
        if (held == null || !held.open.prefix().equals(artifact.prefix())) {
            OpenHot opened = open(artifact, vector);
            if (opened == null) {
                return null;
            }
            if (held != null) {
                retire(held);
            }
            held = new Held(opened);
            newest.put(artifact.column(), held);
        }
        held.uses++;
        return held;
    }

    @Nullable
    private OpenHot open(HotArtifactRef artifact, Vector vector) throws IOException {
        HotObjects stored = new HotObjects(objects, artifact.prefix());
        HotDescriptor descriptor = stored.descriptor();
        HotEngine engine = engines.get().orElse(null);
        if (engine == null || !descriptor.fits(engine.name(), vector)) {
            LOG.info(
                    "{}: the graph of engine {} is not served",
                    stored.descriptorPath(),
                    descriptor.engine());
            return null;
        }
        Path dir = Files.createTempDirectory("loam-hot-");
        try (ParallelIo reads = new ParallelIo("loam-hot")) {
            new HotDownload(stored, descriptor, reads).to(dir);
            RowIdSet covered = stored.covered(descriptor);
            HotGraph graph = graph(engine, dir, descriptor, artifact.prefix());
            return new OpenHot(artifact.prefix(), descriptor, covered, graph);
        } finally {
            LocalFiles.delete(dir);
        }
    }

    /** Files that are as they were written may still be none that the engine reads. */
    private static HotGraph graph(
            HotEngine engine, Path dir, HotDescriptor descriptor, String prefix)
            throws IOException {
        try {
            return engine.open(dir, descriptor);
        } catch (CorruptException e) {
            throw new CorruptException(prefix + ": " + e.getMessage(), e);
        }
    }

    synchronized void release(Held held) {
        held.uses--;
        if (held.retired && held.uses == 0) {
            close(held);
        }
    }

    private static void retire(Held held) {
        held.retired = true;
        if (held.uses == 0) {
            close(held);
        }
    }

    /** What was found is right whether or not the graph closes. */
    private static void close(Held held) {
        try {
            held.open.graph().close();
        } catch (IOException e) {
            LOG.warn("cannot close the graph {}", held.open.prefix(), e);
        }
    }

    /** Closes the graphs that no reader uses, and the others as soon as they are released. */
    @Override
    public synchronized void close() {
        closed = true;
        newest.values().forEach(HotGraphs::retire);
        newest.clear();
    }
}
