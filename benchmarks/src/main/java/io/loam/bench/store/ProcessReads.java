package io.loam.bench.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Bytes this process has asked the kernel to read, native code's included, cached or not. */
final class ProcessReads {
    private static final Path IO = Path.of("/proc/self/io");
    private static final String READ = "rchar: ";

    private ProcessReads() {}

    static long bytes() throws IOException {
        for (String line : Files.readAllLines(IO)) {
            if (line.startsWith(READ)) {
                return Long.parseLong(line.substring(READ.length()));
            }
        }
        throw new IOException(IO + " has no " + READ);
    }
}
