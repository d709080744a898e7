package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitColumn;
import io.loam.store.commit.OffsetRange;
import io.loam.store.repair.RepairState.Snapshot;

import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import static io.loam.flink.operators.TestCollection.change;
import static io.loam.flink.operators.TestCollection.delete;
import static io.loam.flink.operators.TestCollection.op;
import static io.loam.flink.operators.TestCollection.patch;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StreamTypesTest {
    private static final StagedUnit UNIT =
            new StagedUnit(
                    new Ulid(1, 2),
                    3,
                    4,
                    5,
                    6,
                    7,
                    "file.lance",
                    8,
                    List.of(new UnitColumn("_vector_0", 2)),
                    new SplitRef(
                            new Ulid(3, 4),
                            7,
                            0,
                            9,
                            1,
                            9,
                            List.of(new RowIdRange(6, 13)),
                            "",
                            4,
                            3,
                            0,
                            11),
                    12,
                    13,
                    14,
                    15);

    static Stream<TypeInformation<?>> types() {
        return Stream.of(
                LogRecord.TYPE,
                CollectionElement.TYPE,
                KeyTypes.KEY,
                PartitionOffset.TYPE,
                StageMark.TYPE,
                UncommittedUnit.TYPE,
                Types.LONG,
                Types.STRING);
    }

    @ParameterizedTest
    @MethodSource("types")
    void isNeverKryo(TypeInformation<?> type) {
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.setGenericTypes(false);
        TypeSerializer<?> serializer = type.createSerializer(config);
        assertThat(serializer).isNotInstanceOf(KryoSerializer.class);
        assertThat(serializer.getClass().getName()).doesNotContainIgnoringCase("kryo");
        assertThat(type.isKeyType()).isEqualTo(type == KeyTypes.KEY || type.isBasicType());
    }

    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of(op(upsert("a", "{\"n\":1}"), 3)),
                Arguments.of(op(patch("a", "{\"n\":1}"), -1)),
                Arguments.of(op(delete("a"), 3)),
                Arguments.of(change(upsert("a", "{\"n\":1}"))),
                Arguments.of(change(patch("a", "{\"n\":1}"))),
                Arguments.of(new CollectionElement.Progress(2, new OffsetRange(1, 5, 1))),
                Arguments.of(new CollectionElement.CurrentRow(PrimaryKey.ofU64(1), 1L << 40)),
                Arguments.of(new CollectionElement.Unit(UNIT)),
                Arguments.of(new CollectionElement.StageReport(1, 3, null)),
                Arguments.of(new CollectionElement.StageReport(1, 3, "")),
                Arguments.of(new CollectionElement.StageReport(1, 3, "an id")),
                Arguments.of(PrimaryKey.ofUuid(new UUID(1, 2))),
                Arguments.of(new PartitionOffset(1, -1)),
                Arguments.of(new StageMark(new Ulid(1, 2), 3, -1, "x", null)),
                Arguments.of(
                        new StageMark(new Ulid(1, 2), 3, 3, "", new Snapshot(new Ulid(4, 5), 6))),
                Arguments.of(new UncommittedUnit(1L << 62, 4, "f.lance")));
    }

    @ParameterizedTest
    @MethodSource("values")
    @SuppressWarnings("unchecked")
    <T> void surviveTheTrip(T value) throws IOException {
        TypeSerializer<T> serializer = (TypeSerializer<T>) serializerOf(value);
        Object read = roundTrip(serializer, value);
        if (value instanceof CollectionElement.Op op) {
            // A record's own equality compares arrays by identity.
            CollectionElement.Op other = (CollectionElement.Op) read;
            assertThat(other.value()).isEqualTo(op.value());
            assertThat(other.key()).isEqualTo(op.key());
            assertThat(other.offset()).isEqualTo(op.offset());
            assertThat(other.partition()).isEqualTo(op.partition());
        } else if (value instanceof CollectionElement.Change change) {
            CollectionElement.Change other = (CollectionElement.Change) read;
            assertThat(other.key()).isEqualTo(change.key());
            assertThat(other.value()).isEqualTo(change.value());
        } else {
            assertThat(read).isEqualTo(value);
        }
    }

    @Test
    void lettersKeepAbsentAndLongParts() throws IOException {
        DeadLetter letter = new DeadLetter(1, 2, null, new byte[] {1}, "x".repeat(100_000));
        DeadLetter read =
                ((CollectionElement.Letter)
                                roundTrip(
                                        CollectionElementSerializer.INSTANCE,
                                        new CollectionElement.Letter(letter)))
                        .letter();
        assertThat(read).usingRecursiveComparison().isEqualTo(letter);
    }

    @Test
    void recordsKeepAbsentAndEmptyParts() throws IOException {
        LogRecord record = new LogRecord(1, 2, null, new byte[0]);
        assertThat(roundTrip(LogRecord.Serializer.INSTANCE, record))
                .usingRecursiveComparison()
                .isEqualTo(record);
    }

    @ParameterizedTest
    @MethodSource("types")
    void snapshotsRefuseOtherVersions(TypeInformation<?> type) throws IOException {
        TypeSerializer<?> serializer = type.createSerializer(new SerializerConfigImpl());
        TypeSerializerSnapshot<?> snapshot = serializer.snapshotConfiguration();
        if (!(snapshot instanceof ValueSerializerSnapshot)) {
            return; // Flink's own
        }
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, snapshot);
        TypeSerializerSnapshot<?> read =
                TypeSerializerSnapshot.readVersionedSnapshot(
                        new DataInputDeserializer(out.getCopyOfBuffer()),
                        getClass().getClassLoader());
        assertThat(read.restoreSerializer()).isEqualTo(serializer);
        int current = snapshot.getCurrentVersion();
        for (int other : new int[] {current - 1, current + 1}) {
            assertThatThrownBy(
                            () ->
                                    snapshot.readSnapshot(
                                            other,
                                            new DataInputDeserializer(new byte[0]),
                                            getClass().getClassLoader()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("by version " + other)
                    .hasMessageContaining("reads version " + current)
                    .hasMessageContaining("start the job without state");
        }
    }

    @Test
    void unknownElementsAreRefused() {
        assertThatThrownBy(
                        () ->
                                CollectionElementSerializer.INSTANCE.deserialize(
                                        new DataInputDeserializer(new byte[] {9})))
                .isInstanceOf(IOException.class)
                .hasMessage("an element of unknown kind 9");
    }

    @Test
    void aLengthIsNotBelieved() {
        byte[] bytes = {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1};
        assertThatThrownBy(
                        () ->
                                KeyTypes.KeySerializer.INSTANCE.deserialize(
                                        new DataInputViewStreamWrapper(
                                                new ByteArrayInputStream(bytes))))
                .isInstanceOf(EOFException.class);
    }

    @Test
    void textThatIsNoUtf8IsRefused() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        UncommittedUnit.Serializer.INSTANCE.serialize(new UncommittedUnit(1, 2, "ab"), out);
        byte[] bytes = out.getCopyOfBuffer();
        bytes[bytes.length - 1] = (byte) 0xff;
        assertThatThrownBy(
                        () ->
                                UncommittedUnit.Serializer.INSTANCE.deserialize(
                                        new DataInputDeserializer(bytes)))
                .isInstanceOf(IOException.class)
                .hasMessage("a text is not UTF-8");
    }

    private static TypeSerializer<?> serializerOf(Object value) {
        TypeInformation<?> type =
                value instanceof CollectionElement
                        ? CollectionElement.TYPE
                        : types().filter(candidate -> candidate.getTypeClass().isInstance(value))
                                .findFirst()
                                .orElseThrow();
        return type.createSerializer(new SerializerConfigImpl());
    }

    private static <T> T roundTrip(TypeSerializer<T> serializer, T value) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        DataOutputSerializer copy = new DataOutputSerializer(64);
        serializer.copy(new DataInputDeserializer(out.getCopyOfBuffer()), copy);
        assertThat(copy.getCopyOfBuffer()).isEqualTo(out.getCopyOfBuffer());
        DataInputDeserializer in = new DataInputDeserializer(copy.getCopyOfBuffer());
        T read = serializer.deserialize(in);
        assertThat(in.available()).isZero();
        return read;
    }
}
