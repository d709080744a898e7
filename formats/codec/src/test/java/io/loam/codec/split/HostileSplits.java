package io.loam.codec.split;

import io.loam.codec.CorruptException;
import io.loam.codec.split.Hotcache.CachedFile;
import io.loam.codec.split.Hotcache.Slice;
import io.loam.codec.split.SplitFooter.BundledFile;
import io.loam.codec.testing.HostileDecoder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Decoders of this package and samples for them. */
public final class HostileSplits {
    private static final String PATH = "some/a.split";
    private static final long START = 10_000;

    private HostileSplits() {}

    public static List<HostileDecoder<?>> decoders(String... jsonWords) {
        return List.of(
                HostileDecoder.of(
                                "split footer",
                                bytes -> SplitFooter.parse(PATH, START, bytes),
                                CorruptException.class)
                        .samples(List.of(metadata()))
                        .frame(HostileSplits::footer)
                        .words(jsonWords)
                        .encoder(SplitFooter::encode)
                        .comparedAsBytes(),
                HostileDecoder.of(
                                "split footer, frame",
                                bytes -> SplitFooter.parse(PATH, START, bytes),
                                CorruptException.class)
                        .samples(List.of(footer(metadata())))
                        .encoder(SplitFooter::encode)
                        .comparedAsBytes(),
                HostileDecoder.of(
                                "hotcache",
                                bytes -> Hotcache.parse(PATH, bytes),
                                CorruptException.class)
                        .samples(List.of(hotcache(), new Hotcache(Map.of()).encode()))
                        .encoder(Hotcache::encode));
    }

    private static byte[] metadata() {
        SplitFooter footer =
                new SplitFooter(
                        START,
                        START,
                        List.of(
                                new BundledFile("meta.json", 0, 200),
                                new BundledFile("0123456789abcdef.term", 200, 9_000),
                                new BundledFile("0123456789abcdef.store", 9_000, 10_000)),
                        new byte[0]);
        byte[] bytes = footer.encode();
        return java.util.Arrays.copyOfRange(
                bytes, 2 * Integer.BYTES, bytes.length - SplitFooter.MIN_BYTES);
    }

    private static byte[] footer(byte[] json) {
        byte[] hotcache = "hot".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(
                        2 * Integer.BYTES + json.length + hotcache.length + SplitFooter.MIN_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(SplitFooter.METADATA_MAGIC)
                .putInt(SplitFooter.METADATA_VERSION)
                .put(json)
                .putInt(2 * Integer.BYTES + json.length)
                .put(hotcache)
                .putInt(hotcache.length)
                .put(SplitFooter.trailer(START))
                .array();
    }

    private static byte[] hotcache() {
        return new Hotcache(
                        Map.of(
                                "meta.json",
                                new CachedFile(200, List.of(new Slice(0, new byte[200]))),
                                "a.term",
                                new CachedFile(
                                        9_000,
                                        List.of(
                                                new Slice(5, new byte[7]),
                                                new Slice(8_000, new byte[40])))))
                .encode();
    }
}
