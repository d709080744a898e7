package io.loam.bench.jmh;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.DeleteBitmap;
import io.loam.codec.manifest.DeleteBitmapCodec;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.roaringbitmap.RoaringBitmap;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Delete bitmaps of a split of 100 000 documents. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BitmapBenchmark {
    private static final int DOCUMENTS = 100_000;
    private static final int MORE = 30;

    @Param({"100", "10000"})
    int deleted;

    private final int[] more = new int[MORE];
    private DeleteBitmap bitmap;
    private byte[] encoded;

    @Setup
    public void make() {
        SplittableRandom random = new SplittableRandom(42);
        RoaringBitmap ids = new RoaringBitmap();
        while (ids.getCardinality() < deleted) {
            ids.add(random.nextInt(DOCUMENTS));
        }
        for (int i = 0; i < MORE; i++) {
            more[i] = random.nextInt(DOCUMENTS);
        }
        bitmap = new DeleteBitmap(Ulid.fromBytes(new byte[16]), DOCUMENTS, ids);
        encoded = DeleteBitmapCodec.encode(bitmap);
    }

    @Benchmark
    public byte[] encode() {
        return DeleteBitmapCodec.encode(bitmap);
    }

    @Benchmark
    public DeleteBitmap decode() {
        return DeleteBitmapCodec.decode(encoded, "bitmap");
    }

    /** What a commit does with the bitmap of a split in which a few documents more are deleted. */
    @Benchmark
    public byte[] rewrite() {
        RoaringBitmap ids = DeleteBitmapCodec.decode(encoded, "bitmap").deleted().clone();
        ids.add(more);
        return DeleteBitmapCodec.encode(new DeleteBitmap(bitmap.split(), bitmap.docCount(), ids));
    }
}
