package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Applies actions to a manifest, one after the other; each must fit what is there. */
final class ManifestEditor {
    static final Comparator<VectorIndexRef> VECTOR_ORDER =
            Comparator.comparing(VectorIndexRef::indexName)
                    .thenComparing(VectorIndexRef::indexedRowIdsUpto, Long::compareUnsigned)
                    .thenComparing(VectorIndexRef::uuid);
    static final Comparator<ScalarIndexRef> SCALAR_ORDER =
            Comparator.comparing(ScalarIndexRef::indexName).thenComparing(ScalarIndexRef::uuid);

    private final CollectionManifest parent;
    private long lanceVersion;
    private long schemaVersion;
    private final List<SplitRef> splits;
    private final List<VectorIndexRef> vectorIndexes;
    private final List<ScalarIndexRef> scalarIndexes;
    private final List<HotArtifactRef> hotArtifacts;
    private final Map<Integer, Long> applied;
    private long liveDocs;
    private long deadLettersTotal;
    private long skippedOffsetsTotal;
    private String pkDelta = "";
    private String deadLetters = "";

    ManifestEditor(CollectionManifest parent) {
        this.parent = parent;
        lanceVersion = parent.lanceVersion();
        schemaVersion = parent.schemaVersion();
        splits = new ArrayList<>(parent.splits());
        vectorIndexes = new ArrayList<>(parent.vectorIndexes());
        scalarIndexes = new ArrayList<>(parent.scalarIndexes());
        hotArtifacts = new ArrayList<>(parent.hotArtifacts());
        applied = new TreeMap<>(parent.applied());
        liveDocs = parent.liveDocCount();
        deadLettersTotal = parent.deadLettersTotal();
        skippedOffsetsTotal = parent.skippedOffsetsTotal();
    }

    CollectionManifest toManifest(CommitKind kind, long createdAtMs) {
        return new CollectionManifest(
                parent.version() + 1,
                parent.version(),
                parent.collectionId(),
                schemaVersion,
                createdAtMs,
                lanceVersion,
                splits,
                vectorIndexes,
                hotArtifacts,
                applied,
                liveDocs,
                "",
                kind,
                pkDelta,
                deadLetters,
                deadLettersTotal,
                skippedOffsetsTotal,
                scalarIndexes,
                null,
                "",
                parent.properties(),
                parent.rowIdHighWater());
    }

    void apply(Action action) {
        if (action instanceof Action.AddSplit add) {
            addSplit(add);
        } else if (action instanceof Action.RemoveSplit remove) {
            splits.remove(positionOf(remove.ulid()));
        } else if (action instanceof Action.UpdateSplit update) {
            int position = positionOf(update.ulid());
            splits.set(
                    position,
                    splits.get(position).withDeletes(update.deletedCount(), update.deleteBitmap()));
        } else if (action instanceof Action.AddVectorIndexRef add) {
            addIndex(vectorIndexes, add.index(), VECTOR_ORDER);
        } else if (action instanceof Action.AddScalarIndexRef add) {
            addIndex(scalarIndexes, add.index(), SCALAR_ORDER);
        } else if (action instanceof Action.RemoveIndexRef remove) {
            removeIndex(remove.uuid());
        } else if (action instanceof Action.SetHotArtifact set) {
            hotArtifacts.removeIf(a -> a.column().equals(set.artifact().column()));
            hotArtifacts.add(set.artifact());
        } else if (action instanceof Action.RemoveHotArtifact remove) {
            require(
                    hotArtifacts.removeIf(a -> a.column().equals(remove.column())),
                    "no hot artifact of column " + remove.column());
        } else {
            applyScalars(action);
        }
    }

    private void applyScalars(Action action) {
        if (action instanceof Action.SetLanceVersion set) {
            require(
                    lanceVersion == set.from(),
                    "lance_version is " + Long.toUnsignedString(lanceVersion));
            lanceVersion = set.to();
        } else if (action instanceof Action.AdvanceOffsets advance) {
            advance.next().forEach(this::advance);
        } else if (action instanceof Action.AdjustCounters adjust) {
            adjustLiveDocs(adjust.liveDocs());
            deadLettersTotal = grown("dead_letters_total", deadLettersTotal, adjust.deadLetters());
            skippedOffsetsTotal =
                    grown("skipped_offsets_total", skippedOffsetsTotal, adjust.skippedOffsets());
        } else if (action instanceof Action.SetSchemaVersion set) {
            schemaVersion = set.schemaVersion();
        } else if (action instanceof Action.AttachFiles attach) {
            pkDelta = attach.pkDelta();
            deadLetters = attach.deadLetters();
        } else {
            requireNoEffect(action);
        }
    }

    private static void requireNoEffect(Action action) {
        boolean noEffect =
                action instanceof LanceAction
                        || action instanceof Action.AddTag
                        || action instanceof Action.RemoveTag
                        || action instanceof Action.EraseMark;
        if (!noEffect) {
            throw new IllegalStateException("no effect is defined for " + action);
        }
    }

    private void addSplit(Action.AddSplit add) {
        require(
                add.position() >= 0 && add.position() <= splits.size(),
                "the list has " + splits.size() + " splits");
        require(
                splits.stream().noneMatch(s -> s.ulid().equals(add.split().ulid())),
                "the split is already there");
        splits.add(add.position(), add.split());
    }

    private int positionOf(Ulid ulid) {
        for (int i = 0; i < splits.size(); i++) {
            if (splits.get(i).ulid().equals(ulid)) {
                return i;
            }
        }
        throw new ManifestDiffException("there is no split " + ulid);
    }

    private static <T> void addIndex(List<T> indexes, T index, Comparator<T> order) {
        require(!indexes.contains(index), "the index is already there");
        indexes.add(index);
        indexes.sort(order);
    }

    private void removeIndex(String uuid) {
        boolean vector = vectorIndexes.removeIf(index -> index.uuid().equals(uuid));
        boolean scalar = scalarIndexes.removeIf(index -> index.uuid().equals(uuid));
        require(vector || scalar, "there is no index " + uuid);
    }

    private void advance(int partition, long next) {
        Long current = applied.get(partition);
        require(
                current == null || Long.compareUnsigned(next, current) >= 0,
                "the offset of partition "
                        + Integer.toUnsignedString(partition)
                        + " is already "
                        + (current == null ? "" : Long.toUnsignedString(current)));
        applied.put(partition, next);
    }

    private void adjustLiveDocs(long delta) {
        long adjusted = liveDocs + delta;
        boolean overflow =
                delta < 0
                        ? Long.compareUnsigned(liveDocs, -delta) < 0
                        : Long.compareUnsigned(adjusted, liveDocs) < 0;
        require(!overflow, "live_doc_count is " + Long.toUnsignedString(liveDocs));
        liveDocs = adjusted;
    }

    private static long grown(String total, long value, long growth) {
        long grown = value + growth;
        require(
                Long.compareUnsigned(grown, value) >= 0,
                total + " is " + Long.toUnsignedString(value));
        return grown;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ManifestDiffException(otherwise);
        }
    }
}
