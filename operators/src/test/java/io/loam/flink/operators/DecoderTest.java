package io.loam.flink.operators;

import io.loam.codec.manifest.DeadLetter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.loam.flink.operators.TestCollection.PARTITIONS;
import static io.loam.flink.operators.TestCollection.record;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.assertj.core.api.Assertions.assertThat;

class DecoderTest {
    private final Decoder decoder = new Decoder(PARTITIONS);

    @Test
    void decodesAnOperation() {
        CollectionElement element = decoder.decode(record(upsert("a", "{\"n\":1}"), 7));
        CollectionElement.Op op = (CollectionElement.Op) element;
        assertThat(op.logged().operation()).isEqualTo(upsert("a", "{\"n\":1}"));
        assertThat(op.logged().offset()).isEqualTo(7);
        assertThat(op.routingKey()).isEqualTo(TestCollection.key("a"));
    }

    @ParameterizedTest
    @MethodSource("io.loam.flink.operators.HostileRecord#all")
    void rejectsWithTheSpecifiedReason(HostileRecord hostile) {
        CollectionElement element =
                decoder.decode(new LogRecord(2, 11, hostile.key(), hostile.value()));
        DeadLetter letter = ((CollectionElement.Letter) element).letter();
        assertThat(letter.reason()).startsWith("undecodable: ");
        assertThat(letter.partition()).isEqualTo(2);
        assertThat(letter.offset()).isEqualTo(11);
        assertThat(letter.key()).isSameAs(hostile.key());
        assertThat(letter.value()).isSameAs(hostile.value());
        assertThat(element.routingKey()).isNotNull();
    }

    @Test
    void rejectsAnotherPartition() {
        LogRecord right = record(upsert("a", "{}"), 3);
        int wrong = (right.partition() + 1) % PARTITIONS;
        CollectionElement element =
                decoder.decode(new LogRecord(wrong, 3, right.key(), right.value()));
        assertThat(((CollectionElement.Letter) element).letter().reason())
                .isEqualTo("wrong_partition: the key belongs to partition " + right.partition());
    }
}
