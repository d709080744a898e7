package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.staged.KeyChange;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NetChangesTest {
    private static KeyChange change(long key, Long oldRow, Long newRow) {
        return new KeyChange(PrimaryKey.ofU64(key), oldRow, newRow);
    }

    @Test
    void movesOfAKeyJoinInAnyOrderOfTheLists() {
        List<KeyChange> first = List.of(change(1, 5L, 100L), change(2, null, 101L));
        List<KeyChange> second = List.of(change(1, 100L, null), change(2, 101L, 200L));
        List<KeyChange> third = List.of(change(1, null, 300L));
        for (List<List<KeyChange>> lists :
                List.of(List.of(first, second, third), List.of(third, second, first))) {
            NetChanges net = NetChanges.of(lists);
            assertThat(net.changes()).containsExactly(change(1, 5L, 300L), change(2, null, 200L));
            assertThat(net.deletedRows()).containsExactly(5);
            assertThat(net.insertedRows()).containsExactly(200, 300);
        }
    }

    @Test
    void keyThatCameAndWentLeavesNothing() {
        NetChanges net =
                NetChanges.of(List.of(List.of(change(1, null, 7L)), List.of(change(1, 7L, null))));
        assertThat(net.changes()).isEmpty();
    }

    @Test
    void listsThatDisagreeAreCorrupt() {
        assertThatThrownBy(
                        () ->
                                NetChanges.of(
                                        List.of(
                                                List.of(change(1, 5L, 100L)),
                                                List.of(change(1, 6L, 101L)))))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("do not agree about key 1");
        assertThatThrownBy(
                        () ->
                                NetChanges.of(
                                        List.of(List.of(change(1, 5L, 100L), change(2, 5L, 101L)))))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("row 5 for more than one key");
    }
}
