package io.loam.store.testing;

import io.loam.codec.CorruptException;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.HotGraph;
import io.loam.store.spi.HotGraphBuilder;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

/** Graphs that are lists: one file of points, all of which are compared by the squared distance. */
public final class FakeHotEngine implements HotEngine {
    /** Graphs that were opened and not closed. */
    public static final AtomicInteger OPEN = new AtomicInteger();

    private final String name;

    public FakeHotEngine(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public HotGraphBuilder newGraph(Path dir, HotDescriptor.Spec spec) {
        PostcardWriter out = new PostcardWriter();
        return new HotGraphBuilder() {
            @Override
            public void add(long rowId, float[] vector) {
                out.u64(rowId);
                for (float x : vector) {
                    out.f32(x);
                }
            }

            @Override
            public void finish() throws IOException {
                Files.createDirectories(dir.resolve("graph"));
                Files.write(dir.resolve("graph/points.bin"), out.toByteArray());
                Files.write(dir.resolve("empty"), new byte[0]);
            }

            @Override
            public void close() {}
        };
    }

    private record Point(long rowId, float[] vector) {
        double to(float[] query) {
            double sum = 0;
            for (int i = 0; i < query.length; i++) {
                sum += Math.pow((double) query[i] - vector[i], 2);
            }
            return sum;
        }
    }

    @Override
    public HotGraph open(Path dir, HotDescriptor descriptor) throws IOException {
        List<Point> points = new ArrayList<>();
        PostcardReader in = new PostcardReader(Files.readAllBytes(dir.resolve("graph/points.bin")));
        try {
            while (in.remaining() > 0) {
                long rowId = in.u64();
                float[] vector = new float[descriptor.spec().dim()];
                for (int i = 0; i < vector.length; i++) {
                    vector[i] = in.f32();
                }
                points.add(new Point(rowId, vector));
            }
        } catch (PostcardException e) {
            throw new CorruptException("points.bin is no list", e);
        }
        OPEN.incrementAndGet();
        return new HotGraph() {
            @Override
            public Optional<Found> nearest(
                    float[] query, int most, @Nullable LongPredicate wanted, int mostVisits) {
                List<Point> found =
                        points.stream()
                                .filter(p -> wanted == null || wanted.test(p.rowId()))
                                .sorted(Comparator.comparingDouble(p -> p.to(query)))
                                .limit(most)
                                .toList();
                return Optional.of(
                        new Found(
                                found.stream().mapToLong(Point::rowId).toArray(),
                                found.stream().mapToDouble(p -> p.to(query)).toArray()));
            }

            @Override
            public void close() {
                OPEN.decrementAndGet();
            }
        };
    }
}
