package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;
import io.loam.codec.testing.HostileBytes;
import io.loam.codec.testing.HostileDecoder;
import io.loam.flink.connector.source.ScanDecoders;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What Flink keeps for sink and source, under damaged bytes. */
class HostileBytesTest {
    private static final int SHORT_INPUTS = 1_500;
    private static final int FULL_INPUTS = 30_000;

    @Test
    void everySerializerStandsAnyBytes() throws IOException {
        CommittableSerializer committables = new CommittableSerializer();
        ElementSerializer elements = new ElementSerializer();
        List<HostileDecoder<?>> decoders = new ArrayList<>(ScanDecoders.all());
        decoders.addAll(
                List.of(
                        HostileDecoder.of(
                                        "committable",
                                        bytes -> committables.deserialize(1, bytes),
                                        IOException.class)
                                .samples(
                                        List.of(
                                                committables.serialize(
                                                        SerializersTest.committable(
                                                                CommitMode.STREAM)),
                                                committables.serialize(
                                                        SerializersTest.committable(
                                                                CommitMode.DIRECT))))
                                .encoder(committables::serialize),
                        HostileDecoder.of(
                                        "sink element",
                                        bytes -> elements.deserialize(1, bytes),
                                        IOException.class)
                                .samples(
                                        List.of(
                                                elements.serialize(
                                                        new CollectionElement.StageReport(
                                                                1, 2, "x")),
                                                elements.serialize(
                                                        new CollectionElement.Progress(
                                                                3, new OffsetRange(1, 2, 0)))))
                                .encoder(elements::serialize)
                                .comparedAsBytes()));
        HostileBytes.run("bytes connector", decoders, Campaign.size(SHORT_INPUTS, FULL_INPUTS));
    }
}
