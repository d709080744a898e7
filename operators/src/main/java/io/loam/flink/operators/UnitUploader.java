package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.StoredObjects;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Uploads a built unit. Its descriptor goes first: from then on garbage collection knows whose the
 * objects are. An upload that breaks off leaves objects that nothing names, which the collector
 * removes once the descriptor is old.
 */
final class UnitUploader {
    private final ObjectStore objects;
    private final CollectionPaths paths;
    private final Ulid incarnation;

    UnitUploader(ObjectStore objects, CollectionPaths paths, Ulid incarnation) {
        this.objects = objects;
        this.paths = paths;
        this.incarnation = incarnation;
    }

    StagedUnit upload(UnitBuilder.Built built) throws IOException {
        String keysPath = paths.stagedKeys(built.unit());
        String lettersPath = paths.stagedDeadLetters(built.unit());
        List<Put> lists = new ArrayList<>();
        long keyBytes = 0;
        long letterBytes = 0;
        if (!built.changes().isEmpty()) {
            byte[] keys = KeyListCodec.encode(built.changes());
            keyBytes = keys.length;
            lists.add(new Put(keysPath, keys));
        }
        if (!built.letters().isEmpty()) {
            byte[] letters = DeadLetterPartCodec.encode(built.letters());
            letterBytes = letters.length;
            lists.add(new Put(lettersPath, letters));
        }
        StoredObjects.announce(objects, paths, descriptor(built, lists));
        if (built.rowCount() > 0) {
            putFile(paths.lanceData(built.dataFile()), built.localDataFile());
            putFile(paths.split(built.split().ulid()), built.localSplit());
        }
        if (!lists.isEmpty()) {
            StoredObjects.putAll(objects, lists);
        }
        return new StagedUnit(
                built.unit(),
                built.createdAtMs(),
                built.schemaVersion(),
                built.rowIdBase(),
                built.firstRowId(),
                built.rowCount(),
                built.dataFile(),
                built.dataFileBytes(),
                built.columns(),
                built.split(),
                built.changes().size(),
                keyBytes,
                built.letters().size(),
                letterBytes);
    }

    private void putFile(String path, Path file) throws IOException {
        objects.putFile(path, file);
        StoredObjects.stored(path);
    }

    private UnitDescriptor descriptor(UnitBuilder.Built built, List<Put> lists) {
        List<String> names = new ArrayList<>();
        if (built.rowCount() > 0) {
            names.add(paths.lanceData(built.dataFile()));
            names.add(paths.split(built.split().ulid()));
        }
        lists.forEach(put -> names.add(put.path()));
        return new UnitDescriptor(built.unit(), incarnation, built.createdAtMs(), names);
    }
}
