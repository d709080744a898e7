package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.BuiltIndex;
import io.loam.store.spi.DecodedValues;
import io.loam.store.spi.IndexRequest;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.RowStore;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.lance.Dataset;
import org.lance.ReadOptions;
import org.lance.WriteParams;
import org.lance.file.LanceFileReader;

import javax.annotation.Nullable;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The rows of one collection as a Lance dataset. */
final class LanceRowStore implements RowStore {
    private static final String VERSION_1 = "/" + CollectionPaths.lanceVersionFile(1);

    private static final String FORMAT = "2.1";

    private final ObjectStore objects;
    private final String path;
    private final String uri;
    private final Map<String, String> options;

    private final LanceVersionReader versions;
    private final DataFileChecks dataFiles;
    private final BufferAllocator root = new RootAllocator();
    private volatile boolean ensured;

    LanceRowStore(ObjectStore objects, String path) {
        this.objects = objects;
        this.path = path;
        String location = objects.uri(path);
        this.uri = location(location);
        boolean local = location.startsWith("file:");
        this.versions = new LanceVersionReader(objects, path, local);
        this.dataFiles = new DataFileChecks(objects, path, local);
        this.options = objects.nativeOptions();
    }

    /** Lance takes local folders as plain paths. */
    private static String location(String uri) {
        return uri.startsWith("file:") ? Path.of(URI.create(uri)).toString() : uri;
    }

    @Override
    public void ensureDataset() throws IOException {
        if (ensured) {
            return;
        }
        if (objects.stat(path + VERSION_1).isEmpty()) {
            create();
        }
        requireBaseColumns();
        ensured = true;
    }

    private void create() throws IOException {
        try (BufferAllocator allocator = child("create");
                Dataset made =
                        Dataset.write()
                                .allocator(allocator)
                                .uri(uri)
                                .schema(LanceSchemas.base())
                                .mode(WriteParams.WriteMode.CREATE)
                                .dataStorageVersion(FORMAT)
                                .enableStableRowIds(true)
                                .storageOptions(options)
                                .execute()) {
            if (made.version() != 1) {
                throw new CorruptException(
                        uri + ": a new dataset has version 1, not " + made.version());
            }
        } catch (RuntimeException e) {
            // Another writer may have been first, which is as good.
            if (objects.stat(path + VERSION_1).isEmpty()) {
                throw new IOException("could not create the dataset " + uri, e);
            }
        }
    }

    private void requireBaseColumns() throws IOException {
        List<Field> base = LanceSchemas.base().getFields();
        try (BufferAllocator allocator = child("check");
                Dataset dataset = open(1, versions.read(1, null).message(), allocator)) {
            List<Field> fields = dataset.getSchema().getFields();
            boolean starts =
                    fields.size() >= base.size()
                            && fields.stream()
                                    .map(Field::getName)
                                    .toList()
                                    .subList(0, base.size())
                                    .equals(base.stream().map(Field::getName).toList());
            if (!starts) {
                throw new CorruptException(
                        uri + ": version 1 does not start with the base columns but has " + fields);
            }
        }
    }

    @Override
    public RowFileWriter newFile(Path file, CollectionSchema schema) throws IOException {
        return new LanceRowFileWriter(file, schema, child("write"));
    }

    @Override
    public RowSnapshot open(long version, CollectionSchema schema) throws IOException {
        return open(version, null, schema);
    }

    @Override
    public RowSnapshot open(CollectionManifest manifest, CollectionSchema schema)
            throws IOException {
        return open(
                manifest.lanceVersion(),
                manifest.properties().get(ManifestProperties.ROW_VERSION),
                schema);
    }

    private RowSnapshot open(long version, @Nullable String checksum, CollectionSchema schema)
            throws IOException {
        if (version == 0) {
            return new EmptyRowSnapshot();
        }
        BufferAllocator allocator = child("read");
        try {
            LanceVersionReader.Checked checked = versions.read(version, checksum);
            Dataset dataset = open(version, checked.message(), allocator);
            try {
                VersionFiles files = new VersionFiles(checked.await(), dataFiles);
                return new LanceRowSnapshot(dataset, files, allocator, schema);
            } catch (IOException | RuntimeException e) {
                dataset.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            allocator.close();
            throw e;
        }
    }

    private Dataset dataset(
            LanceVersionReader.Checked checked, long version, BufferAllocator allocator)
            throws IOException {
        Dataset dataset = open(version, checked.message(), allocator);
        try {
            checked.await();
            return dataset;
        } catch (IOException | RuntimeException e) {
            dataset.close();
            throw e;
        }
    }

    /**
     * A handle with a session of its own: sessions shared by sibling versions return wrong row ids,
     * because Lance caches them by fragment id.
     */
    private Dataset open(long version, ByteBuffer message, BufferAllocator allocator)
            throws IOException {
        try {
            return Dataset.open()
                    .allocator(allocator)
                    .uri(uri)
                    .readOptions(
                            new ReadOptions.Builder()
                                    .setVersion(version)
                                    .setSerializedManifest(message)
                                    .setStorageOptions(options)
                                    .build())
                    .build();
        } catch (Exception e) { // native code throws checked ones undeclared
            throw new IOException(
                    "could not open version "
                            + Long.toUnsignedString(version)
                            + " of "
                            + uri
                            + " by "
                            + path
                            + "/"
                            + CollectionPaths.lanceVersionFile(version),
                    e);
        }
    }

    @Override
    public List<Integer> files(CollectionManifest manifest) throws IOException {
        long version = manifest.lanceVersion();
        if (version == 0) {
            return List.of();
        }
        return versions
                .manifest(version, manifest.properties().get(ManifestProperties.ROW_VERSION))
                .fragments()
                .stream()
                .filter(fragment -> fragment.liveRows() > 0)
                .map(fragment -> (int) fragment.id())
                .toList();
    }

    @Override
    public RowSnapshot openFile(
            String dataFile, long firstRowId, long rows, CollectionSchema schema)
            throws IOException {
        dataFiles.require("data/" + dataFile);
        BufferAllocator allocator = child("read-file");
        try {
            LanceFileReader reader =
                    LanceFileReader.open(uri + "/data/" + dataFile, options, allocator);
            if (reader.numRows() != rows) {
                try (AutoCloseable opened = reader) {
                    throw new CorruptException(
                            path
                                    + "/data/"
                                    + dataFile
                                    + ": "
                                    + reader.numRows()
                                    + " rows, not "
                                    + rows);
                }
            }
            return new LanceFileSnapshot(
                    path + "/data/" + dataFile, reader, allocator, firstRowId, rows, schema);
        } catch (IOException | RuntimeException e) {
            allocator.close();
            throw e;
        } catch (Exception e) {
            allocator.close();
            throw new IOException("could not open " + path + "/data/" + dataFile, e);
        }
    }

    @Override
    public BuiltIndex buildIndex(
            CollectionManifest manifest, CollectionSchema schema, IndexRequest request)
            throws IOException {
        long version = manifest.lanceVersion();
        LanceVersionReader.Checked checked =
                versions.read(version, manifest.properties().get(ManifestProperties.ROW_VERSION));
        VersionFiles files = new VersionFiles(checked.manifest(), dataFiles);
        files.require(files.ofFragments(request.fragments().stream().map(Long::intValue).toList()));
        try (BufferAllocator allocator = child("index");
                Dataset dataset = dataset(checked, version, allocator)) {
            return new LanceIndexBuilder(dataset, objects, path).build(request);
        }
    }

    @Override
    public void decode(String file, DecodedValues into) throws IOException {
        if (!DecodedFile.isLance(file)) {
            return;
        }
        if (file.startsWith("data/")) {
            dataFiles.require(file);
        }
        try (BufferAllocator allocator = child("decode")) {
            DecodedFile.read(uri + "/" + file, options, allocator, path + "/" + file, into);
        }
    }

    private BufferAllocator child(String purpose) {
        return root.newChildAllocator(purpose, 0, Long.MAX_VALUE);
    }

    @Override
    public void close() {
        versions.close();
        dataFiles.close();
        root.close();
    }
}
