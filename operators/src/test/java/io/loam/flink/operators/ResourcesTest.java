package io.loam.flink.operators;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ResourcesTest {

    @Test
    void everythingIsClosedInOrderWhateverFails() {
        List<String> closed = new ArrayList<>();
        Resources.close(
                () -> closed.add("first"),
                null,
                () -> {
                    closed.add("second");
                    throw new IOException("the disk is gone");
                },
                () -> {
                    closed.add("third");
                    throw new IllegalStateException("memory was leaked");
                },
                () -> closed.add("fourth"));
        assertThat(closed).containsExactly("first", "second", "third", "fourth");
    }

    @Test
    void anInterruptIsKept() {
        Resources.close(
                () -> {
                    throw new InterruptedException();
                });
        assertThat(Thread.interrupted()).isTrue();
    }
}
