package io.loam.flink.connector.source;

import io.loam.codec.testing.HostileDecoder;

import java.io.IOException;
import java.util.List;

/** What Flink keeps for a scan, for the test of damaged bytes. */
public final class ScanDecoders {
    private ScanDecoders() {}

    /** Decoders with samples of all shapes. */
    public static List<HostileDecoder<?>> all() {
        SplitCodec splits = new SplitCodec();
        ScanState.Codec states = new ScanState.Codec();
        List<CollectionSplit> samples =
                List.of(
                        CollectionSplit.of(CollectionSplit.Kind.FILE, 300, 7).at(300, 70_000),
                        CollectionSplit.changes(300, 2, 8));
        return List.of(
                HostileDecoder.of(
                                "split of a scan",
                                bytes -> splits.deserialize(1, bytes),
                                IOException.class)
                        .samples(samples.stream().map(splits::serialize).toList())
                        .encoder(splits::serialize),
                HostileDecoder.of(
                                "state of a scan",
                                bytes -> states.deserialize(1, bytes),
                                IOException.class)
                        .samples(
                                List.of(
                                        states.serialize(new ScanState(true, List.of())),
                                        states.serialize(new ScanState(false, samples))))
                        .encoder(states::serialize));
    }
}
