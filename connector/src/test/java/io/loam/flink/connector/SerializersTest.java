package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitColumn;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SerializersTest {
    static CollectionCommittable committable(CommitMode mode) {
        StagedUnit unit =
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
                        null,
                        9,
                        10,
                        11,
                        12);
        return new CollectionCommittable(
                "id",
                "base",
                new Ulid(-1, 7),
                42,
                mode,
                "writer",
                "job \u00fc",
                99,
                List.of(unit, unit),
                Map.of(0, new OffsetRange(0, 5, 1), 3, new OffsetRange(7, 9, 0)));
    }

    @ParameterizedTest
    @EnumSource
    void committablesSurviveTheTrip(CommitMode mode) throws IOException {
        CommittableSerializer serializer = new CommittableSerializer();
        byte[] bytes = serializer.serialize(committable(mode));
        assertThat(serializer.deserialize(1, bytes)).isEqualTo(committable(mode));
    }

    @Test
    void damagedCommittablesAreRefused() throws IOException {
        CommittableSerializer serializer = new CommittableSerializer();
        byte[] bytes = serializer.serialize(committable(CommitMode.STREAM));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> serializer.deserialize(1, cut))
                    .isInstanceOf(IOException.class);
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(() -> serializer.deserialize(1, longer))
                .isInstanceOf(IOException.class)
                .hasMessage("1 bytes follow a committable");
    }

    @Test
    void aLengthIsNotBelieved() {
        byte[] bytes = {0x7f, 0x7f, 0x7f, 0x7f, 1};
        assertThatThrownBy(() -> new CommittableSerializer().deserialize(1, bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("with 1 bytes left");
    }

    @Test
    void elementsSurviveTheTrip() throws IOException {
        ElementSerializer serializer = new ElementSerializer();
        CollectionElement element = new CollectionElement.StageReport(1, 2, "x");
        assertThat(serializer.deserialize(1, serializer.serialize(element))).isEqualTo(element);
    }

    @Test
    void otherVersionsAreRefused() {
        for (SimpleVersionedSerializer<?> serializer :
                List.of(new CommittableSerializer(), new ElementSerializer())) {
            assertThat(serializer.getVersion()).isEqualTo(1);
            assertThatThrownBy(() -> serializer.deserialize(2, new byte[0]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("written in version 2, this build reads 1");
        }
    }
}
