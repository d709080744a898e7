package io.loam.jobs.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * Which process runs: {@code <pid> <its start in clock ticks since boot>}. The start tells it from
 * a later process that got the same number. Linux's {@code /proc} is asked rather than {@link
 * ProcessHandle}, which takes an ended process that nobody waited for as alive, and whose start
 * times move with the clock.
 */
final class PidFile {
    private static final String ENDED = "ZX";
    private static final int STATE = 0;
    private static final int START = 19;

    private final Path file;

    PidFile(Path file) {
        this.file = file;
    }

    boolean exists() {
        return Files.exists(file);
    }

    void write(long pid) throws IOException {
        Files.createDirectories(file.getParent());
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(temporary, pid + " " + stat(pid).map(s -> s[START]).orElse("0") + "\n");
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The number that was written, whether or not it still runs. */
    Optional<Long> pid() throws IOException {
        return exists() ? Optional.of(Long.parseLong(words()[0])) : Optional.empty();
    }

    /** The process if it still runs. */
    Optional<ProcessHandle> alive() throws IOException {
        if (!exists()) {
            return Optional.empty();
        }
        String[] words = words();
        long pid = Long.parseLong(words[0]);
        boolean same =
                stat(pid).filter(stat -> lives(stat) && stat[START].equals(words[1])).isPresent();
        return same ? ProcessHandle.of(pid) : Optional.empty();
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    private String[] words() throws IOException {
        String text = Files.readString(file).trim();
        if (!text.matches("[0-9]{1,18} [0-9]{1,18}")) {
            throw new ClusterException(
                    "no pid file: " + file + " holds \"" + text + "\"; delete it");
        }
        return text.split(" ");
    }

    private static boolean lives(String[] stat) {
        return !ENDED.contains(stat[STATE]);
    }

    /** What proc(5) lists from the state on; the name before it may hold spaces. */
    private static Optional<String[]> stat(long pid) throws IOException {
        Path process = Path.of("/proc/" + pid);
        try {
            String text = Files.readString(process.resolve("stat"));
            return Optional.of(text.substring(text.lastIndexOf(')') + 2).split(" "));
        } catch (IOException e) {
            if (Files.exists(process)) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
