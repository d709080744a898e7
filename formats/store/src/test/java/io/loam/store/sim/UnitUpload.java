package io.loam.store.sim;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.staged.UnitDescriptorCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.SplitBuilder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Uploads units: the descriptor, then the data file, the split, the lists. */
final class UnitUpload {
    private final World world;
    private final CollectionHandle handle;
    private final CollectionPaths paths;
    private final Ulid incarnation;

    /** A unit that has its names. */
    record Begun(Ulid unit, Ulid split, long createdAtMs) {}

    UnitUpload(World world, CollectionHandle handle, Ulid incarnation) {
        this.world = world;
        this.handle = handle;
        this.paths = handle.paths();
        this.incarnation = incarnation;
    }

    Begun begin() throws IOException {
        handle.rows().ensureDataset();
        Ulid unit = handle.ulids().next();
        return new Begun(unit, handle.ulids().next(), handle.ulids().timeMs());
    }

    StagedUnit upload(
            Begun begun,
            long base,
            long first,
            List<Row> rows,
            List<KeyChange> changes,
            List<DeadLetter> letters)
            throws IOException {
        String dataFile = rows.isEmpty() ? "" : begun.unit() + ".lance";
        announce(begun, dataFile);
        RowFileWriter.Written written = new RowFileWriter.Written(0, 0, List.of());
        SplitRef split = null;
        if (!rows.isEmpty()) {
            written = putRows(dataFile, rows);
            split = putSplit(begun, rows, first);
        }
        byte[] keys = KeyListCodec.encode(changes);
        if (!changes.isEmpty()) {
            handle.objects().put(paths.stagedKeys(begun.unit()), keys);
        }
        byte[] part = DeadLetterPartCodec.encode(letters);
        if (!letters.isEmpty()) {
            handle.objects().put(paths.stagedDeadLetters(begun.unit()), part);
        }
        return new StagedUnit(
                begun.unit(),
                begun.createdAtMs(),
                handle.schema().version(),
                base,
                first,
                rows.size(),
                dataFile,
                written.bytes(),
                written.columns(),
                split,
                changes.size(),
                keys.length,
                letters.size(),
                part.length);
    }

    private void announce(Begun begun, String dataFile) throws IOException {
        List<String> names = new ArrayList<>();
        if (!dataFile.isEmpty()) {
            names.add(paths.lanceData(dataFile));
            names.add(paths.split(begun.split()));
        }
        names.add(paths.stagedKeys(begun.unit()));
        names.add(paths.stagedDeadLetters(begun.unit()));
        handle.objects()
                .put(
                        paths.stagedDescriptor(begun.unit()),
                        UnitDescriptorCodec.encode(
                                new UnitDescriptor(
                                        begun.unit(), incarnation, begun.createdAtMs(), names)));
    }

    private RowFileWriter.Written putRows(String dataFile, List<Row> rows) throws IOException {
        Path file = world.dir.resolve(dataFile);
        RowFileWriter.Written written;
        try (RowFileWriter writer = handle.rows().newFile(file, handle.schema())) {
            for (Row row : rows) {
                writer.append(row);
            }
            written = writer.finish();
        }
        putAndDelete(paths.lanceData(dataFile), file);
        return written;
    }

    private SplitRef putSplit(Begun begun, List<Row> rows, long first) throws IOException {
        try (SplitBuilder builder =
                handle.splits().newSplit(begun.split(), handle.schema(), world.dir)) {
            for (int i = 0; i < rows.size(); i++) {
                builder.add(first + i, rows.get(i).document());
            }
            SplitBuilder.Built built = builder.finish();
            putAndDelete(paths.split(begun.split()), built.file());
            return new SplitRef(
                    begun.split(),
                    rows.size(),
                    0,
                    built.bytes(),
                    built.footerStart(),
                    built.bytes(),
                    List.of(new RowIdRange(first, first + rows.size())),
                    "",
                    handle.schema().version(),
                    begun.createdAtMs(),
                    0,
                    built.footerCrc32c());
        }
    }

    private void putAndDelete(String path, Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        handle.objects().put(path, bytes);
    }
}
