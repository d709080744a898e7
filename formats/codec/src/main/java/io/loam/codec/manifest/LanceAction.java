package io.loam.codec.manifest;

import javax.annotation.Nullable;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A change of the Lance manifest. It explains a {@link Action.SetLanceVersion} and names files; it
 * has no effect on the collection manifest. Lance's own messages are carried as they are.
 */
public sealed interface LanceAction extends Action {

    /** Fragments joined; each is a Lance {@code DataFragment}. */
    record AddFragments(List<OpaqueMessage> fragments) implements LanceAction {
        public AddFragments {
            fragments = List.copyOf(fragments);
        }

        /** Takes the encoded fragments. */
        public static AddFragments ofBytes(List<byte[]> fragments) {
            return new AddFragments(fragments.stream().map(OpaqueMessage::of).toList());
        }
    }

    record RemoveFragments(List<Long> fragmentIds) implements LanceAction {
        public RemoveFragments {
            fragmentIds = List.copyOf(fragmentIds);
        }

        public static RemoveFragments of(long... fragmentIds) {
            return new RemoveFragments(Arrays.stream(fragmentIds).boxed().toList());
        }
    }

    /**
     * One fragment changed. Absent members did not change.
     *
     * @param addedDataFiles Lance {@code DataFile} messages
     * @param deletionFile Lance {@code DeletionFile}; not together with {@code clearDeletionFile}
     * @param tombstonedFieldIds field ids that become -2 in the fragment's data files
     */
    record UpdateFragment(
            long fragmentId,
            List<OpaqueMessage> addedDataFiles,
            List<String> removedDataFilePaths,
            @Nullable OpaqueMessage deletionFile,
            boolean clearDeletionFile,
            @Nullable RowSequence rowIds,
            @Nullable RowSequence lastUpdatedVersions,
            @Nullable RowSequence createdAtVersions,
            @Nullable Long physicalRows,
            List<Integer> tombstonedFieldIds)
            implements LanceAction {
        public UpdateFragment {
            addedDataFiles = List.copyOf(addedDataFiles);
            removedDataFilePaths = List.copyOf(removedDataFilePaths);
            tombstonedFieldIds = List.copyOf(tombstonedFieldIds);
            if (deletionFile != null && clearDeletionFile) {
                throw new IllegalArgumentException(
                        "fragment "
                                + Long.toUnsignedString(fragmentId)
                                + " cannot both get a deletion file and lose it");
            }
        }

        /** The fragment got a new deletion file, given as an encoded {@code DeletionFile}. */
        public static UpdateFragment withDeletionFile(long fragmentId, byte[] deletionFile) {
            return new UpdateFragment(
                    fragmentId,
                    List.of(),
                    List.of(),
                    OpaqueMessage.of(deletionFile),
                    false,
                    null,
                    null,
                    null,
                    null,
                    List.of());
        }
    }

    /**
     * A sequence with one value per row.
     *
     * @param external whether {@code message} is a Lance {@code ExternalFile} and not the sequence
     */
    record RowSequence(boolean external, OpaqueMessage message) {}

    /** Columns joined; each is a Lance {@code Field}. */
    record AddFields(List<OpaqueMessage> fields, Map<String, OpaqueMessage> schemaMetadata)
            implements LanceAction {
        public AddFields {
            fields = List.copyOf(fields);
            schemaMetadata = Collections.unmodifiableMap(new TreeMap<>(schemaMetadata));
        }
    }

    record DropFields(List<Integer> fieldIds, List<String> metadataKeys) implements LanceAction {
        public DropFields {
            fieldIds = List.copyOf(fieldIds);
            metadataKeys = List.copyOf(metadataKeys);
        }
    }

    record UpdateSchemaMetadata(Map<String, OpaqueMessage> set, List<String> remove)
            implements LanceAction {
        public UpdateSchemaMetadata {
            set = Collections.unmodifiableMap(new TreeMap<>(set));
            remove = List.copyOf(remove);
        }
    }

    /** An index joined; a Lance {@code IndexMetadata}. */
    record AddIndex(OpaqueMessage index) implements LanceAction {}

    record RemoveIndex(UUID uuid) implements LanceAction {}

    record UpdateConfig(Map<String, String> set, List<String> remove) implements LanceAction {
        public UpdateConfig {
            set = Collections.unmodifiableMap(new TreeMap<>(set));
            remove = List.copyOf(remove);
        }
    }

    record UpdateTableMetadata(Map<String, String> set, List<String> remove)
            implements LanceAction {
        public UpdateTableMetadata {
            set = Collections.unmodifiableMap(new TreeMap<>(set));
            remove = List.copyOf(remove);
        }
    }

    /** The data file format; a Lance {@code DataStorageFormat}. */
    record SetDataFormat(OpaqueMessage dataFormat) implements LanceAction {}

    /** Flags or-ed to those of the dataset. */
    record SetFeatureFlags(long readerFlags, long writerFlags) implements LanceAction {}
}
