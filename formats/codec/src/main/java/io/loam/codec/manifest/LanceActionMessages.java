package io.loam.codec.manifest;

import io.loam.codec.proto.UserOperationProto;

import com.google.protobuf.ByteString;

import javax.annotation.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Actions on the Lance manifest to protobuf messages and back. */
final class LanceActionMessages {
    /** Highest field number of an action on the Lance manifest. */
    static final int LAST_NUMBER = 12;

    private static final CollectionPaths ANY_COLLECTION = new CollectionPaths(0, 0);

    private LanceActionMessages() {}

    static void write(LanceAction action, UserOperationProto.Action.Builder out) {
        if (action instanceof LanceAction.AddFragments add) {
            out.getAddFragmentsBuilder().addAllFragments(bytes(add.fragments()));
        } else if (action instanceof LanceAction.RemoveFragments remove) {
            out.getRemoveFragmentsBuilder().addAllFragmentIds(remove.fragmentIds());
        } else if (action instanceof LanceAction.UpdateFragment update) {
            writeUpdate(update, out.getUpdateFragmentBuilder());
        } else if (action instanceof LanceAction.AddFields add) {
            out.getAddFieldsBuilder()
                    .addAllFields(bytes(add.fields()))
                    .putAllSchemaMetadata(bytes(add.schemaMetadata()));
        } else if (action instanceof LanceAction.DropFields drop) {
            out.getDropFieldsBuilder()
                    .addAllFieldIds(drop.fieldIds())
                    .addAllMetadataKeys(drop.metadataKeys());
        } else if (action instanceof LanceAction.UpdateSchemaMetadata update) {
            out.getUpdateSchemaMetadataBuilder()
                    .putAllSet(bytes(update.set()))
                    .addAllRemove(update.remove());
        } else {
            writeSettings(action, out);
        }
    }

    private static void writeSettings(LanceAction action, UserOperationProto.Action.Builder out) {
        if (action instanceof LanceAction.AddIndex add) {
            out.getAddIndexBuilder().setIndex(bytes(add.index()));
        } else if (action instanceof LanceAction.RemoveIndex remove) {
            out.getRemoveIndexBuilder().setUuid(UserOperationCodec.uuid(remove.uuid()));
        } else if (action instanceof LanceAction.UpdateConfig update) {
            out.getUpdateConfigBuilder().putAllSet(update.set()).addAllRemove(update.remove());
        } else if (action instanceof LanceAction.UpdateTableMetadata update) {
            out.getUpdateTableMetadataBuilder()
                    .putAllSet(update.set())
                    .addAllRemove(update.remove());
        } else if (action instanceof LanceAction.SetDataFormat set) {
            out.getSetDataFormatBuilder().setDataFormat(bytes(set.dataFormat()));
        } else if (action instanceof LanceAction.SetFeatureFlags set) {
            out.getSetFeatureFlagsBuilder()
                    .setReaderFlags(set.readerFlags())
                    .setWriterFlags(set.writerFlags());
        } else {
            throw new IllegalStateException("no message for " + action);
        }
    }

    private static void writeUpdate(
            LanceAction.UpdateFragment update, UserOperationProto.UpdateFragment.Builder out) {
        out.setFragmentId(update.fragmentId())
                .addAllAddedDataFiles(bytes(update.addedDataFiles()))
                .addAllRemovedDataFilePaths(update.removedDataFilePaths())
                .setClearDeletionFile(update.clearDeletionFile())
                .addAllTombstonedFieldIds(update.tombstonedFieldIds());
        if (update.deletionFile() != null) {
            out.setNewDeletionFile(bytes(update.deletionFile()));
        }
        if (update.physicalRows() != null) {
            out.setPhysicalRows(update.physicalRows());
        }
        write(update.rowIds(), out::setInlineRowIds, out::setExternalRowIds);
        write(
                update.lastUpdatedVersions(),
                out::setInlineLastUpdatedVersions,
                out::setExternalLastUpdatedVersions);
        write(
                update.createdAtVersions(),
                out::setInlineCreatedAtVersions,
                out::setExternalCreatedAtVersions);
    }

    private static void write(
            @Nullable LanceAction.RowSequence sequence,
            Consumer<ByteString> inline,
            Consumer<ByteString> external) {
        if (sequence != null) {
            (sequence.external() ? external : inline).accept(bytes(sequence.message()));
        }
    }

    /** Reads an action, and checks that its files can be named later. */
    static LanceAction read(UserOperationProto.Action message) {
        LanceAction action = readMembers(message);
        LanceFileNames.newFiles(ANY_COLLECTION, action);
        return action;
    }

    private static LanceAction readMembers(UserOperationProto.Action message) {
        switch (message.getActionCase()) {
            case ADD_FRAGMENTS:
                return new LanceAction.AddFragments(
                        opaque(message.getAddFragments().getFragmentsList()));
            case REMOVE_FRAGMENTS:
                return new LanceAction.RemoveFragments(
                        message.getRemoveFragments().getFragmentIdsList());
            case UPDATE_FRAGMENT:
                return update(message.getUpdateFragment());
            case ADD_FIELDS:
                return new LanceAction.AddFields(
                        opaque(message.getAddFields().getFieldsList()),
                        opaque(message.getAddFields().getSchemaMetadataMap()));
            case DROP_FIELDS:
                return new LanceAction.DropFields(
                        message.getDropFields().getFieldIdsList(),
                        message.getDropFields().getMetadataKeysList());
            case UPDATE_SCHEMA_METADATA:
                return new LanceAction.UpdateSchemaMetadata(
                        opaque(message.getUpdateSchemaMetadata().getSetMap()),
                        message.getUpdateSchemaMetadata().getRemoveList());
            default:
                return readSettings(message);
        }
    }

    private static LanceAction readSettings(UserOperationProto.Action message) {
        switch (message.getActionCase()) {
            case ADD_INDEX:
                return new LanceAction.AddIndex(opaque(message.getAddIndex().getIndex()));
            case REMOVE_INDEX:
                return new LanceAction.RemoveIndex(
                        UserOperationCodec.uuid(message.getRemoveIndex().getUuid()));
            case UPDATE_CONFIG:
                return new LanceAction.UpdateConfig(
                        message.getUpdateConfig().getSetMap(),
                        message.getUpdateConfig().getRemoveList());
            case UPDATE_TABLE_METADATA:
                return new LanceAction.UpdateTableMetadata(
                        message.getUpdateTableMetadata().getSetMap(),
                        message.getUpdateTableMetadata().getRemoveList());
            case SET_DATA_FORMAT:
                return new LanceAction.SetDataFormat(
                        opaque(message.getSetDataFormat().getDataFormat()));
            case SET_FEATURE_FLAGS:
                return new LanceAction.SetFeatureFlags(
                        message.getSetFeatureFlags().getReaderFlags(),
                        message.getSetFeatureFlags().getWriterFlags());
            default:
                throw new IllegalStateException("no action for " + message.getActionCase());
        }
    }

    private static LanceAction.UpdateFragment update(UserOperationProto.UpdateFragment message) {
        return new LanceAction.UpdateFragment(
                message.getFragmentId(),
                opaque(message.getAddedDataFilesList()),
                message.getRemovedDataFilePathsList(),
                message.hasNewDeletionFile() ? opaque(message.getNewDeletionFile()) : null,
                message.getClearDeletionFile(),
                sequence(
                        message.hasInlineRowIds() ? message.getInlineRowIds() : null,
                        message.hasExternalRowIds() ? message.getExternalRowIds() : null),
                sequence(
                        message.hasInlineLastUpdatedVersions()
                                ? message.getInlineLastUpdatedVersions()
                                : null,
                        message.hasExternalLastUpdatedVersions()
                                ? message.getExternalLastUpdatedVersions()
                                : null),
                sequence(
                        message.hasInlineCreatedAtVersions()
                                ? message.getInlineCreatedAtVersions()
                                : null,
                        message.hasExternalCreatedAtVersions()
                                ? message.getExternalCreatedAtVersions()
                                : null),
                message.hasPhysicalRows() ? message.getPhysicalRows() : null,
                message.getTombstonedFieldIdsList());
    }

    @Nullable
    private static LanceAction.RowSequence sequence(
            @Nullable ByteString inline, @Nullable ByteString external) {
        if (inline != null) {
            return new LanceAction.RowSequence(false, opaque(inline));
        }
        return external == null ? null : new LanceAction.RowSequence(true, opaque(external));
    }

    private static ByteString bytes(OpaqueMessage message) {
        return ByteString.copyFrom(message.bytes());
    }

    private static List<ByteString> bytes(List<OpaqueMessage> messages) {
        return messages.stream().map(LanceActionMessages::bytes).toList();
    }

    private static Map<String, ByteString> bytes(Map<String, OpaqueMessage> messages) {
        Map<String, ByteString> bytes = new LinkedHashMap<>();
        messages.forEach((key, message) -> bytes.put(key, bytes(message)));
        return bytes;
    }

    private static OpaqueMessage opaque(ByteString bytes) {
        return OpaqueMessage.of(bytes.toByteArray());
    }

    private static List<OpaqueMessage> opaque(List<ByteString> bytes) {
        return bytes.stream().map(LanceActionMessages::opaque).toList();
    }

    private static Map<String, OpaqueMessage> opaque(Map<String, ByteString> bytes) {
        Map<String, OpaqueMessage> messages = new LinkedHashMap<>();
        bytes.forEach((key, value) -> messages.put(key, opaque(value)));
        return messages;
    }
}
