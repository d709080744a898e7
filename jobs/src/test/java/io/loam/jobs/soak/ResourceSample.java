package io.loam.jobs.soak;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a process holds on to after a number of commits.
 *
 * @param heap bytes alive on the heap, after a collection
 * @param direct bytes of direct buffers
 * @param resident bytes of the process in memory, native libraries' included
 * @param files open file handles
 * @param deleted open handles of files that are deleted
 * @param temporary files under the temporary directory
 * @param threads live threads
 */
record ResourceSample(
        long commits,
        long seconds,
        long heap,
        long direct,
        long resident,
        long files,
        long deleted,
        long temporary,
        long threads) {
    private static final Path SELF = Path.of("/proc/self");

    /** Measures this process. */
    static ResourceSample take(long commits, long seconds) throws IOException {
        System.gc();
        System.gc();
        return new ResourceSample(
                commits,
                seconds,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum(),
                residentBytes(),
                handles(false),
                handles(true),
                temporaryFiles(),
                ManagementFactory.getThreadMXBean().getThreadCount());
    }

    private static long residentBytes() throws IOException {
        try (Stream<String> lines = Files.lines(SELF.resolve("status"))) {
            String line = lines.filter(l -> l.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
    }

    private static long handles(boolean deletedOnly) throws IOException {
        try (Stream<Path> open = Files.list(SELF.resolve("fd"))) {
            return open.filter(handle -> !deletedOnly || isDeleted(handle)).count();
        }
    }

    private static boolean isDeleted(Path handle) {
        try {
            return Files.readSymbolicLink(handle).toString().endsWith(" (deleted)");
        } catch (IOException e) {
            // Closed since it was listed.
            return false;
        }
    }

    private static long temporaryFiles() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.count();
        } catch (java.io.UncheckedIOException e) {
            // A file went away while the folder was walked.
            return temporaryFiles();
        }
    }

    String toLine() {
        return Stream.of(
                        commits, seconds, heap, direct, resident, files, deleted, temporary,
                        threads)
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    static ResourceSample parse(String line) {
        long[] values = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
        return new ResourceSample(
                values[0], values[1], values[2], values[3], values[4], values[5], values[6],
                values[7], values[8]);
    }
}
