package io.loam.jobs.demo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class DemoStateTest {
    @TempDir Path folder;

    @Test
    void nothingIsReadFromNoFile() throws IOException {
        assertThat(DemoState.read(folder.resolve("demo.properties"))).isEmpty();
    }

    @Test
    void whatIsWrittenIsReadAndReplacesWhatWasThere() throws IOException {
        Path file = folder.resolve("demo.properties");
        new DemoState(400, 100, 1).write(file);
        new DemoState(400, 100, 2).write(file);
        assertThat(DemoState.read(file)).contains(new DemoState(400, 100, 2));
        assertThat(Files.list(folder)).containsExactly(file);
    }

    @Test
    void plansAreTheSameWhateverTheProgress() {
        DemoState state = new DemoState(400, 100, 1);
        assertThat(state.samePlan(new DemoState(400, 100, 9))).isTrue();
        assertThat(state.samePlan(new DemoState(401, 100, 1))).isFalse();
        assertThat(state.samePlan(new DemoState(400, 0, 1))).isFalse();
    }
}
