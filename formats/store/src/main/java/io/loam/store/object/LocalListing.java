package io.loam.store.object;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lists the objects of a directory tree while others add and delete some. */
final class LocalListing extends SimpleFileVisitor<Path> {
    private final Path root;
    private final String prefix;
    private final List<ObjectInfo> found = new ArrayList<>();

    private LocalListing(Path root, String prefix) {
        this.root = root;
        this.prefix = prefix;
    }

    static List<ObjectInfo> list(Path root, String prefix) throws IOException {
        String folder = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        if (!folder.isEmpty()) {
            ObjectPaths.requireValid(folder.substring(0, folder.length() - 1));
        }
        LocalListing listing = new LocalListing(root, prefix);
        Path start = root.resolve(folder);
        if (Files.isDirectory(start)) {
            Files.walkFileTree(start, listing);
        }
        listing.found.sort(Comparator.comparing(ObjectInfo::path));
        return listing.found;
    }

    static ObjectInfo info(String path, BasicFileAttributes attributes) {
        return new ObjectInfo(path, attributes.size(), attributes.lastModifiedTime().toMillis());
    }

    @Override
    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
        if (dir.equals(root)) {
            return FileVisitResult.CONTINUE;
        }
        String path = root.relativize(dir) + "/";
        boolean related = path.startsWith(prefix) || prefix.startsWith(path);
        return hidden(dir) || !related ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        String path = root.relativize(file).toString();
        if (attributes.isRegularFile() && !hidden(file) && path.startsWith(prefix)) {
            found.add(info(path, attributes));
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }

    private static boolean hidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }
}
