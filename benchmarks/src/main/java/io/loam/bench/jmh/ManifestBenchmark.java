package io.loam.bench.jmh;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;

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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Manifests of 10, 100 and 1 000 splits, and finding the split and document of a row id. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ManifestBenchmark {
    private static final long DOCUMENTS = 100_000;

    @Param({"10", "100", "1000"})
    int splits;

    private CollectionManifest manifest;
    private byte[] encoded;
    private RowLocator locator;
    private long at;

    @Setup
    public void make() {
        List<SplitRef> refs = new ArrayList<>();
        for (int i = 0; i < splits; i++) {
            byte[] ulid = new byte[16];
            ulid[14] = (byte) (i >> 8);
            ulid[15] = (byte) i;
            refs.add(
                    new SplitRef(
                            Ulid.fromBytes(ulid),
                            DOCUMENTS,
                            0,
                            60_000_000,
                            59_000_000,
                            60_000_000,
                            List.of(new RowIdRange(i * DOCUMENTS, (i + 1) * DOCUMENTS)),
                            "",
                            1,
                            1_700_000_000_000L,
                            0,
                            17));
        }
        manifest =
                new CollectionManifest(
                        2,
                        1,
                        1,
                        1,
                        1_700_000_000_000L,
                        0x8000000000000001L,
                        refs,
                        List.of(),
                        List.of(),
                        Map.of(0, 10L, 1, 10L),
                        splits * DOCUMENTS,
                        "ns/1/c/1/manifests/1.opcm",
                        CommitKind.LINK_APPLY,
                        "",
                        "",
                        0,
                        0,
                        List.of(),
                        null,
                        "",
                        Map.of("loam.mode", "direct"),
                        splits * DOCUMENTS);
        encoded = ManifestCodec.encode(manifest);
        locator = RowLocator.of(refs);
    }

    @Benchmark
    public byte[] encode() {
        return ManifestCodec.encode(manifest);
    }

    @Benchmark
    public CollectionManifest decode() {
        return ManifestCodec.decode(encoded, "manifest");
    }

    @Benchmark
    public Object locateRow() {
        at = (at + 7_919 * 31) % (splits * DOCUMENTS);
        return locator.locate(at);
    }
}
