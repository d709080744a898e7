package io.loam.codec.hot;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.manifest.HostileManifests;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Quantization;
import io.loam.codec.testing.HostileDecoder;

import javax.annotation.Nullable;

import java.util.List;

/** Decoders of this package and samples for them. */
public final class HostileHot {
    private static final String PATH = "some/object";

    private HostileHot() {}

    public static List<HostileDecoder<?>> decoders() {
        return List.of(
                HostileDecoder.of(
                                "hot descriptor",
                                bytes -> HotDescriptorCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(
                                List.of(
                                        body(descriptor(null)),
                                        body(descriptor(new Quantization.Scalar(990_000L, true))),
                                        body(descriptor(new Quantization.Product(16, false))),
                                        body(descriptor(new Quantization.Binary(true)))))
                        .frame(HostileManifests.framed(Envelope.Type.OPHD))
                        .encoder(HotDescriptorCodec::encode),
                HostileDecoder.of(
                                "hot coverage",
                                bytes -> HotCoverageCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(
                                List.of(
                                        coverage(new RowIdSet()),
                                        coverage(new RowIdSet().add(0).add(9).add(-1)),
                                        coverage(
                                                new RowIdSet()
                                                        .addRange((1L << 32) - 5, 100_000)
                                                        .addRange(7L << 33, 10))))
                        .frame(HostileManifests.framed(Envelope.Type.OPHC))
                        .encoder(HotCoverageCodec::encode));
    }

    private static byte[] coverage(RowIdSet rows) {
        return HostileManifests.body(HotCoverageCodec.encode(rows));
    }

    private static byte[] body(HotDescriptor descriptor) {
        return HostileManifests.body(HotDescriptorCodec.encode(descriptor));
    }

    private static HotDescriptor descriptor(@Nullable Quantization quantization) {
        return new HotDescriptor(
                "engine-1",
                5,
                "_vector_0",
                "gloss",
                new HotDescriptor.Spec(
                        384,
                        Distance.COSINE,
                        new Hnsw(16, 100, 10_000, 8L, true),
                        quantization,
                        List.of(
                                new HotDescriptor.PayloadField(
                                        "f0", HotDescriptor.PayloadKind.UUID)),
                        2),
                7,
                Long.MIN_VALUE | 5,
                1L << 40,
                90,
                100,
                List.of(
                        new HotDescriptor.File("graph/part-0.bin", 1_000, -1, 10),
                        new HotDescriptor.File("empty", 0, 0, 1)),
                70,
                3,
                100,
                1_700_000_000_000L);
    }
}
