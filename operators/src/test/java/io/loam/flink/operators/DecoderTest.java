package io.loam.flink.operators;

import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.manifest.DeadLetter;
import io.loam.flink.operators.CollectionElement.Change;
import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.flink.operators.CollectionElement.Op;
import io.loam.store.commit.CommitMode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.loam.flink.operators.TestCollection.PARTITIONS;
import static io.loam.flink.operators.TestCollection.key;
import static io.loam.flink.operators.TestCollection.partitionOf;
import static io.loam.flink.operators.TestCollection.record;
import static io.loam.flink.operators.TestCollection.upsert;
import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of a record: its key is looked at where it is read, the rest where it is staged. */
class DecoderTest {
    private static final byte[] CUT = {1, 0};

    private final BatchBuffer staged = new BatchBuffer(1, 1);

    private boolean stage(CommitMode mode, CollectionElement element) {
        return new Intake(mode, PARTITIONS).take(element, staged);
    }

    private DeadLetter letter() {
        BatchBuffer.Batch batch = staged.take();
        assertThat(batch.operations()).isEmpty();
        assertThat(batch.letters()).hasSize(1);
        return batch.letters().get(0);
    }

    @Test
    void decodesAnOperation() {
        CollectionElement element = Decoder.decode(record(upsert("a", "{\"n\":1}"), 7));
        assertThat(element).isInstanceOf(Op.class);
        assertThat(element.routingKey()).isEqualTo(key("a"));
        assertThat(stage(CommitMode.STREAM, element)).isTrue();
        BatchBuffer.Batch batch = staged.take();
        assertThat(batch.letters()).isEmpty();
        assertThat(batch.operations()).containsOnlyKeys(key("a"));
        LoggedOperation logged = batch.operations().get(key("a")).get(0);
        assertThat(logged.operation()).isEqualTo(upsert("a", "{\"n\":1}"));
        assertThat(logged.offset()).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("io.loam.flink.operators.HostileRecord#all")
    void rejectsWithTheSpecifiedReason(HostileRecord hostile) {
        CollectionElement element =
                Decoder.decode(new LogRecord(2, 11, hostile.key(), hostile.value()));
        assertThat(element.routingKey()).isNotNull();
        assertThat(stage(CommitMode.STREAM, element)).isEqualTo(element instanceof Letter);
        DeadLetter letter = letter();
        assertThat(letter.reason()).startsWith("undecodable: ");
        assertThat(letter.partition()).isEqualTo(2);
        assertThat(letter.offset()).isEqualTo(11);
        assertThat(letter.key()).isSameAs(hostile.key());
        assertThat(letter.value()).isSameAs(hostile.value());
        if (element instanceof Op) {
            assertThat(new Letter(letter).routingKey()).isEqualTo(element.routingKey());
        }
    }

    @Test
    void rejectsAnotherPartition() {
        LogRecord right = record(upsert("a", "{}"), 3);
        int wrong = (right.partition() + 1) % PARTITIONS;
        stage(
                CommitMode.STREAM,
                Decoder.decode(new LogRecord(wrong, 3, right.key(), right.value())));
        assertThat(letter().reason())
                .isEqualTo("wrong_partition: the key belongs to partition " + right.partition());
    }

    @Test
    void whatIsNoRecordIsCalledThatWhateverItsPartition() {
        int wrong = (partitionOf(upsert("a", "{}")) + 1) % PARTITIONS;
        stage(
                CommitMode.STREAM,
                Decoder.decode(new LogRecord(wrong, 3, key("a").canonical(), CUT)));
        assertThat(letter().reason()).startsWith("undecodable: ");
    }

    @Test
    void aChangeThatIsNoRecordIsADeadLetterOfItsKeysPartition() {
        assertThat(stage(CommitMode.DIRECT, new Change(key("a"), CUT))).isFalse();
        DeadLetter letter = letter();
        assertThat(letter.reason()).startsWith("undecodable: malformed body");
        assertThat(letter.partition()).isEqualTo(partitionOf(upsert("a", "{}")));
        assertThat(letter.key()).isEqualTo(key("a").canonical());
        assertThat(letter.value()).isSameAs(CUT);
    }
}
