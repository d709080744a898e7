package io.loam.bench.job;

import io.loam.store.WarehouseOptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A copy of a local warehouse that nobody writes to, for a job that will. Objects never change and
 * are linked; the metastore's files are copied.
 */
final class WarehouseCopy {
    private WarehouseCopy() {}

    static WarehouseOptions make(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(from)) {
            all = walk.toList();
        }
        for (Path source : all) {
            Path target = to.resolve(from.relativize(source).toString());
            if (Files.isDirectory(source)) {
                Files.createDirectories(target);
            } else if (source.getFileName()
                    .toString()
                    .startsWith(WarehouseOptions.METASTORE_FILE)) {
                Files.copy(source, target);
            } else {
                Files.createLink(target, source);
            }
        }
        return WarehouseOptions.local(to);
    }
}
