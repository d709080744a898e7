package io.loam.store.testing;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.NewIndexSegment;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.proto.LanceManifestProto.Field;
import io.loam.codec.proto.LanceManifestProto.Manifest;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.BuiltIndex;
import io.loam.store.spi.DecodedValues;
import io.loam.store.spi.IndexRequest;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.RowStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Rows without Lance's library: data files hold one record after the other, versions and deletion
 * files are Lance's own, so that a committer who writes those meets a reader of them.
 */
public final class FakeRows implements RowStore {
    private static final long BASE_VERSION = 1;
    private static final long STABLE_ROW_IDS = 2;
    private static final int FOOTER = 16;
    private static final int FORMAT = 2;

    private final ObjectStore objects;
    private final String dataset;

    /**
     * @param datasetPath object path of the dataset root, without a trailing slash
     */
    public FakeRows(ObjectStore objects, String datasetPath) {
        this.objects = objects;
        this.dataset = datasetPath;
    }

    @Override
    public void ensureDataset() throws IOException {
        String path = FakeRowSnapshot.versionPath(dataset, BASE_VERSION);
        if (objects.stat(path).isPresent()) {
            return;
        }
        byte[] bytes = baseVersion();
        LanceManifest.parse(bytes, path);
        try {
            objects.put(path, bytes);
        } catch (ObjectExistsException e) {
            // Someone else made the same version a moment ago.
            return;
        }
    }

    private static byte[] baseVersion() {
        Manifest.Builder manifest =
                Manifest.newBuilder()
                        .setVersion(BASE_VERSION)
                        .setReaderFeatureFlags(STABLE_ROW_IDS)
                        .setWriterFeatureFlags(STABLE_ROW_IDS);
        List<String> types = List.of("binary", "binary", "uint32", "uint64");
        List<String> names = List.of("_pk", "_source", "_ingest_partition", "_ingest_offset");
        for (int i = 0; i < names.size(); i++) {
            manifest.addFields(
                    Field.newBuilder()
                            .setName(names.get(i))
                            .setId(i)
                            .setParentId(-1)
                            .setLogicalType(types.get(i))
                            .setEncoding(1));
        }
        byte[] body = manifest.build().toByteArray();
        return ByteBuffer.allocate(Integer.BYTES + body.length + FOOTER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(body.length)
                .put(body)
                .putLong(0)
                .putInt(FORMAT)
                .put("LANC".getBytes(StandardCharsets.US_ASCII))
                .array();
    }

    @Override
    public RowFileWriter newFile(Path file, CollectionSchema schema) throws IOException {
        if (Files.exists(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        return new Writer(file, schema);
    }

    private static final class Writer implements RowFileWriter {
        private final Path file;
        private final CollectionSchema schema;
        private final PostcardWriter out = new PostcardWriter();
        private long rows;

        Writer(Path file, CollectionSchema schema) {
            this.file = file;
            this.schema = schema;
        }

        @Override
        public void append(Row row) {
            out.bytes(row.document().key().canonical());
            out.bytes(RecordCodec.encode(new Operation.Upsert(row.document())));
            out.bytes(row.source()).u32(row.ingestPartition()).u64(row.ingestOffset());
            rows++;
        }

        @Override
        public Written finish() throws IOException {
            byte[] bytes = out.toByteArray();
            Files.write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new Written(rows, bytes.length, VectorColumns.of(schema));
        }

        @Override
        public void close() {}
    }

    @Override
    public RowSnapshot open(long version, CollectionSchema schema) throws IOException {
        return FakeRowSnapshot.ofVersion(objects, dataset, version, schema);
    }

    @Override
    public List<Integer> files(CollectionManifest manifest) throws IOException {
        if (manifest.lanceVersion() == 0) {
            return List.of();
        }
        String path = FakeRowSnapshot.versionPath(dataset, manifest.lanceVersion());
        return LanceManifest.parse(objects.get(path), path).fragments().stream()
                .filter(fragment -> fragment.liveRows() > 0)
                .map(fragment -> (int) fragment.id())
                .toList();
    }

    @Override
    public RowSnapshot openFile(
            String dataFile, long firstRowId, long rows, CollectionSchema schema)
            throws IOException {
        return FakeRowSnapshot.ofFile(objects, dataset, dataFile, firstRowId, rows, schema);
    }

    @Override
    public void decode(String file, DecodedValues into) throws IOException {
        if (file.startsWith("data/")) {
            PostcardReader in = new PostcardReader(objects.get(dataset + "/" + file));
            while (in.remaining() > 0) {
                into.value(in.bytes());
                into.value(in.bytes());
                into.value(in.bytes());
                in.u32();
                in.u64();
            }
        }
    }

    @Override
    public BuiltIndex buildIndex(
            CollectionManifest manifest, CollectionSchema schema, IndexRequest request)
            throws IOException {
        String path = FakeRowSnapshot.versionPath(dataset, manifest.lanceVersion());
        LanceManifest version = LanceManifest.parse(objects.get(path), path);
        objects.put(dataset + "/_indices/" + request.id() + "/index.idx", new byte[] {1});
        long rows =
                version.fragments().stream()
                        .filter(fragment -> request.fragments().contains(fragment.id()))
                        .mapToLong(LanceFragment::liveRows)
                        .sum();
        NewIndexSegment segment =
                new NewIndexSegment(
                        request.id(),
                        request.name(),
                        List.of(0),
                        version.version(),
                        0,
                        new byte[0],
                        List.of(),
                        0);
        return new BuiltIndex(segment, rows, 0);
    }

    @Override
    public void close() {}
}
