package io.loam.jobs.cluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PidFileTest {
    @TempDir Path folder;

    @Test
    void findsTheProcessThatWasWritten() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        PidFile file = file();
        file.write(process.pid());
        assertThat(file.alive()).contains(process.toHandle());
        process.destroyForcibly().waitFor();
        assertThat(file.alive()).isEmpty();
        assertThat(file.pid()).contains(process.pid());
        file.delete();
        assertThat(file.exists()).isFalse();
        assertThat(file.pid()).isEmpty();
    }

    @Test
    void anotherProcessOfThatNumberIsNotTheOne() throws IOException {
        long own = ProcessHandle.current().pid();
        file().write(own);
        assertThat(file().alive()).isPresent();
        Files.writeString(path(), own + " 1\n");
        assertThat(file().alive()).isEmpty();
    }

    /** An orphan of a container stays in the process table for ever. */
    @Test
    void anEndedProcessNobodyWaitedForIsNotAlive() throws Exception {
        // The shell's child ends while the shell, turned into sleep, never waits for it.
        Process parent =
                new ProcessBuilder("sh", "-c", "sleep 0.2 & echo $!; exec sleep 60").start();
        try {
            String line = new String(parent.getInputStream().readNBytes(1)) + readLine(parent);
            long child = Long.parseLong(line.trim());
            PidFile file = file();
            file.write(child);
            Path status = Path.of("/proc/" + child + "/stat");
            while (!Files.readString(status).contains(") Z ")) {
                Thread.sleep(20);
            }
            assertThat(ProcessHandle.of(child)).isPresent();
            assertThat(file.alive()).isEmpty();
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }

    private static String readLine(Process process) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = process.getInputStream().read();
                b > '\n';
                b = process.getInputStream().read()) {
            line.append((char) b);
        }
        return line.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "12", "12 x", "-1 5", "1 2 3", "99999999999999999999 1"})
    void somethingElseInTheFileIsSaid(String text) throws IOException {
        Files.writeString(path(), text);
        assertThatThrownBy(() -> file().alive())
                .isInstanceOf(ClusterException.class)
                .hasMessage("no pid file: " + path() + " holds \"" + text + "\"; delete it");
    }

    private PidFile file() {
        return new PidFile(path());
    }

    private Path path() {
        return folder.resolve("x.pid");
    }
}
