package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.testing.Campaign;
import io.loam.codec.testing.HostileBytes;
import io.loam.codec.testing.HostileDecoder;
import io.loam.store.commit.CommitMode;
import io.loam.store.repair.RepairState;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Serializers of stream and state, and the decoder of records, under damaged bytes. */
class HostileBytesTest {
    private static final int SHORT_INPUTS = 1_500;
    private static final int FULL_INPUTS = 30_000;

    @Test
    void everySerializerStandsAnyBytes() {
        List<HostileDecoder<?>> decoders =
                List.of(
                        target("stream element", CollectionElementSerializer.INSTANCE, elements()),
                        target(
                                "log record",
                                LogRecord.Serializer.INSTANCE,
                                List.of(
                                        new LogRecord(1, 2, null, new byte[0]),
                                        new LogRecord(-1, -2, new byte[9], new byte[40]))),
                        target(
                                "key state",
                                KeyTypes.KeySerializer.INSTANCE,
                                List.of(
                                        PrimaryKey.ofU64(5),
                                        PrimaryKey.ofUuid(new UUID(1, 2)),
                                        PrimaryKey.ofString("ä"))),
                        target(
                                "stage mark",
                                StageMark.Serializer.INSTANCE,
                                List.of(
                                        new StageMark(
                                                new Ulid(1, 2),
                                                3,
                                                -1,
                                                "commit ü",
                                                new RepairState.Snapshot(new Ulid(3, 4), 5)))),
                        target(
                                "uncommitted unit",
                                UncommittedUnit.Serializer.INSTANCE,
                                List.of(new UncommittedUnit(1L << 62, 4, "f.lance"))),
                        target(
                                "partition offset",
                                PartitionOffset.Serializer.INSTANCE,
                                List.of(new PartitionOffset(1, -1))),
                        HostileDecoder.<Object>of("decoded record", HostileBytesTest::decoded)
                                .samples(
                                        samples(CollectionElementSerializer.INSTANCE, elements())));
        HostileBytes.run("bytes operators", decoders, Campaign.size(SHORT_INPUTS, FULL_INPUTS));
    }

    private static List<CollectionElement> elements() {
        List<CollectionElement> elements = new ArrayList<>();
        StreamTypesTest.values()
                .map(Arguments::get)
                .filter(value -> value[0] instanceof CollectionElement)
                .forEach(value -> elements.add((CollectionElement) value[0]));
        elements.add(
                new CollectionElement.Letter(new DeadLetter(1, 2, null, new byte[3], "schema: ü")));
        return elements;
    }

    private static <T> HostileDecoder<T> target(
            String name, TypeSerializer<T> serializer, List<T> values) {
        return HostileDecoder.of(name, bytes -> read(serializer, bytes), IOException.class)
                .samples(samples(serializer, values))
                .encoder(value -> write(serializer, value))
                .comparedAsBytes();
    }

    private static <T> List<byte[]> samples(TypeSerializer<T> serializer, List<T> values) {
        return values.stream().map(value -> write(serializer, value)).toList();
    }

    /** As state is read: from a stream that does not know how long it is. */
    private static <T> T read(TypeSerializer<T> serializer, byte[] bytes) throws IOException {
        return serializer.deserialize(
                new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes)));
    }

    private static <T> byte[] write(TypeSerializer<T> serializer, T value) {
        DataOutputSerializer out = new DataOutputSerializer(64);
        try {
            serializer.serialize(value, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.getCopyOfBuffer();
    }

    /** Whatever a record holds becomes an operation or a letter. */
    private static Object decoded(byte[] bytes) {
        int keyBytes = Math.min(bytes.length, 9);
        byte[] key = java.util.Arrays.copyOf(bytes, keyBytes);
        BatchBuffer buffer = new BatchBuffer(1, 1);
        new Intake(CommitMode.STREAM, 4)
                .take(Decoder.decode(new LogRecord(0, 1, key, bytes)), buffer);
        return buffer.take();
    }
}
