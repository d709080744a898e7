package io.loam.lance;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.lance.CompactedFile;
import io.loam.codec.lance.DataFileName;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifestEdit;
import io.loam.codec.lance.LanceManifestEdit.DeletionPut;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.lance.RowIdEncoder;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.object.DataFileCheck;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowFileWriter.Written;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;

/** A dataset in a folder that is committed to the way the apply committer does it. */
final class LanceDataset implements AutoCloseable {
    static final String ROOT = "ns/1/collections/1/lance";

    private final Path work;
    private final Random random;
    final LocalObjectStore objects;
    final LanceRowStore rows;
    long version;
    long highWater;
    private int files;

    LanceDataset(Path folder, Random random) throws IOException {
        this.work = Files.createDirectories(folder.resolve("work"));
        this.random = random;
        this.objects = LocalObjectStore.open(folder.resolve("warehouse"));
        this.rows = new LanceRowStore(objects, ROOT);
        rows.ensureDataset();
        version = 1;
    }

    /** Adds rows with ids from {@code firstRowId} and deletes others, in one new version. */
    Edited commit(CollectionSchema schema, long firstRowId, List<Row> added, long[] deleted)
            throws IOException {
        LanceManifestEdit edit = manifest().edit(random.nextLong() | Long.MIN_VALUE, this::file);
        edit.ensureColumns(VectorColumns.of(schema));
        if (!added.isEmpty()) {
            Path file = work.resolve("file-" + files++ + ".lance");
            Written written = write(file, schema, added);
            String name = upload(file);
            edit.addFragment(name, written.bytes(), written.columns(), firstRowId, added.size());
            highWater = Math.max(highWater, firstRowId + added.size());
        }
        return publish(edit.delete(deleted));
    }

    /** Puts one data file with the live rows of some fragments in their place. */
    Edited compact(CollectionSchema schema, List<Long> fragments) throws IOException {
        Map<Long, Row> live = new TreeMap<>();
        try (RowSnapshot snapshot = rows.open(version, schema)) {
            for (long fragment : fragments) {
                try (RowCursor cursor = snapshot.scanFile(Projection.ALL, (int) fragment)) {
                    for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                        live.put(row.rowId(), row(row));
                    }
                }
            }
        }
        Path file = work.resolve("file-" + files++ + ".lance");
        Written written = write(file, schema, List.copyOf(live.values()));
        String name = upload(file);
        long[] ids = live.keySet().stream().mapToLong(Long::longValue).toArray();
        byte[] rowIds = RowIdEncoder.encode(RowIdRuns.of(ids));
        CompactedFile compacted =
                new CompactedFile(
                        name,
                        written.bytes(),
                        written.columns(),
                        ids.length,
                        rowIds,
                        random.nextBoolean() ? rowIdFile(rowIds) : null);
        LanceManifestEdit edit = manifest().edit(random.nextLong() | Long.MIN_VALUE, this::file);
        edit.ensureColumns(written.columns());
        return publish(edit.replaceFragments(fragments, List.of(compacted)));
    }

    /** Names a segment in the next version, and others no more. */
    Edited index(byte[] added, Set<UUID> removed) throws IOException {
        LanceManifestEdit edit = manifest().edit(random.nextLong() | Long.MIN_VALUE, this::file);
        return publish(edit.removeIndexes(removed).addIndex(added));
    }

    private String rowIdFile(byte[] rowIds) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(rowIds);
        Ulid unit = new Ulid(random.nextLong() >>> 8, random.nextLong());
        String name = DataFileName.ofRowIds(unit, (int) crc.getValue());
        objects.put(ROOT + "/" + name, rowIds);
        return name;
    }

    private static Row row(StoredRow row) {
        JsonObject source = Json.parseObject(row.source());
        return new Row(
                new Document(row.key(), source, row.vectors(), row.sparseVectors()),
                row.source(),
                row.ingestPartition(),
                row.ingestOffset());
    }

    private String upload(Path file) throws IOException {
        String name =
                DataFileName.of(
                        new Ulid(random.nextLong() >>> 8, random.nextLong()),
                        DataFileCheck.crc32c(file));
        objects.putFile(ROOT + "/data/" + name, file);
        return name;
    }

    private Edited publish(LanceManifestEdit edit) throws IOException {
        Edited edited = edit.finish(highWater, 1_700_000_000_000L);
        for (DeletionPut put : edited.deletionFiles()) {
            objects.put(ROOT + "/" + put.path(), put.bytes());
        }
        version = LanceManifest.parse(edited.manifest(), "new").version();
        objects.put(path(version), edited.manifest());
        return edited;
    }

    Written write(Path file, CollectionSchema schema, List<Row> added) throws IOException {
        try (RowFileWriter writer = rows.newFile(file, schema)) {
            for (Row row : added) {
                writer.append(row);
            }
            return writer.finish();
        }
    }

    LanceManifest manifest() throws IOException {
        return LanceManifest.parse(objects.get(path(version)), path(version))
                .withRowIds(this::file);
    }

    private byte[] file(String path) {
        try {
            return objects.get(ROOT + "/" + path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String path(long version) {
        return ROOT + "/" + CollectionPaths.lanceVersionFile(version);
    }

    @Override
    public void close() throws IOException {
        rows.close();
        objects.close();
    }
}
