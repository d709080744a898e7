package io.loam.flink.operators;

import io.loam.flink.operators.CollectionElement.CurrentRow;

import org.junit.jupiter.api.Test;

import static io.loam.flink.operators.TestCollection.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SortedIndexTest {
    private final SortedIndex index = new SortedIndex();

    @Test
    void aKeyHasTheRowThatCameBeforeIt() {
        index.begin(new CurrentRow(key("a"), 7));
        index.begin(new CurrentRow(key("b"), 8));
        index.arrive(key("b"));
        index.arrive(key("b"));
        index.arrive(key("c"));
        assertThat(index.row(key("b"))).isEqualTo(8);
        assertThat(index.row(key("c"))).isNull();
        assertThatThrownBy(() -> index.row(key("a"))).hasMessageContaining("key a");
    }

    @Test
    void aKeyThatGoesOnInTheNextBatchKeepsItsNewRow() {
        index.begin(new CurrentRow(key("a"), 7));
        index.arrive(key("a"));
        index.begin(new CurrentRow(key("b"), 8));
        index.arrive(key("b"));
        index.put(key("a"), 20L);
        index.put(key("b"), 21L);
        index.sealed();
        assertThat(index.size()).isEqualTo(1);
        index.arrive(key("b"));
        assertThat(index.row(key("b"))).isEqualTo(21);
        index.put(key("b"), null);
        index.sealed();
        index.arrive(key("b"));
        assertThat(index.row(key("b"))).isNull();
    }

    @Test
    void rowsWithoutOperationsAreNotKept() {
        for (int i = 0; i < 1000; i++) {
            index.begin(new CurrentRow(key("k" + i), i));
        }
        assertThat(index.size()).isZero();
    }
}
