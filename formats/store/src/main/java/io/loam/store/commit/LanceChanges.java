package io.loam.store.commit;

import io.loam.codec.lance.LanceChecksum;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifestEdit;
import io.loam.codec.lance.RowAddress;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.LanceAction;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.object.ObjectStore.Put;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The row version after a commit: the parent's with one fragment more for every unit, deletion
 * files for what is gone, and without fragments that have no live row left.
 *
 * @param version the parent's when no row changed
 * @param checksum of the version's manifest as a property; null if it is not known
 * @param actions what changed, starting with the version itself
 * @param puts deletion files and the version's manifest
 */
record LanceChanges(long version, @Nullable String checksum, List<Action> actions, List<Put> puts) {
    static LanceChanges of(
            CollectionManifest parent,
            long[] deletedRows,
            List<UnitRows> units,
            long highWater,
            long startedMs,
            CommitIo io)
            throws IOException {
        List<UnitRows> live = units.stream().filter(unit -> !unit.empty()).toList();
        if (deletedRows.length == 0 && live.isEmpty()) {
            return new LanceChanges(parent.lanceVersion(), checksum(parent), List.of(), List.of());
        }
        LanceManifest before = io.rows().read(parent, io.reads());
        Map<String, byte[]> deletionFiles = deletionFiles(before, deletedRows, io);
        long version = io.detachedVersion();
        LanceManifestEdit edit = before.edit(version, deletionFiles::get);
        live.forEach(unit -> add(edit, unit.unit()));
        edit.delete(LongStream.concat(LongStream.of(deletedRows), bornDead(live)).toArray());
        LanceManifestEdit.Edited edited = edit.finish(highWater, startedMs);
        return new LanceChanges(
                version,
                LanceChecksum.of(version, edited.manifest()),
                actions(parent, version, edited),
                puts(version, edited, io));
    }

    @Nullable
    private static String checksum(CollectionManifest manifest) {
        return manifest.properties().get(ManifestProperties.ROW_VERSION);
    }

    private static void add(LanceManifestEdit edit, StagedUnit unit) {
        edit.ensureColumns(unit.columns())
                .addFragment(
                        unit.dataFile(),
                        unit.dataFileBytes(),
                        unit.columns(),
                        unit.firstRowId(),
                        unit.rowCount());
    }

    private static LongStream bornDead(List<UnitRows> units) {
        return units.stream()
                .flatMapToLong(
                        unit ->
                                Arrays.stream(unit.deleted().toArray())
                                        .mapToLong(doc -> unit.unit().firstRowId() + doc));
    }

    /** The deletion files that will be extended, by path under the dataset root. */
    private static Map<String, byte[]> deletionFiles(
            LanceManifest before, long[] deletedRows, CommitIo io) throws IOException {
        Set<Long> touched = new HashSet<>();
        for (long row : deletedRows) {
            before.locator().locate(row).map(RowAddress::fragmentId).ifPresent(touched::add);
        }
        List<String> paths =
                before.fragments().stream()
                        .filter(fragment -> touched.contains(fragment.id()))
                        .map(LanceFragment::deletionFile)
                        .filter(file -> file != null)
                        .toList();
        List<byte[]> read =
                io.reads().map(paths, path -> io.objects().get(io.paths().lance() + path));
        Map<String, byte[]> files = new HashMap<>();
        for (int i = 0; i < paths.size(); i++) {
            files.put(paths.get(i), read.get(i));
        }
        return files;
    }

    private static List<Action> actions(
            CollectionManifest parent, long version, LanceManifestEdit.Edited edited) {
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.SetLanceVersion(parent.lanceVersion(), version));
        if (!edited.addedFragments().isEmpty()) {
            actions.add(LanceAction.AddFragments.ofBytes(edited.addedFragments()));
        }
        edited.updatedFragments()
                .forEach(
                        fragment ->
                                actions.add(
                                        LanceAction.UpdateFragment.withDeletionFile(
                                                fragment.id(), fragment.deletionFile())));
        if (!edited.removedFragments().isEmpty()) {
            actions.add(new LanceAction.RemoveFragments(edited.removedFragments()));
        }
        return actions;
    }

    private static List<Put> puts(long version, LanceManifestEdit.Edited edited, CommitIo io) {
        List<Put> puts = new ArrayList<>();
        edited.deletionFiles()
                .forEach(file -> puts.add(new Put(io.paths().lance() + file.path(), file.bytes())));
        puts.add(new Put(io.paths().lanceVersion(version), edited.manifest()));
        return puts;
    }
}
