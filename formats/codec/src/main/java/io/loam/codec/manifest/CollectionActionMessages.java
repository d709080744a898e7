package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.proto.UserOperationProto;

import com.google.protobuf.ByteString;

/** Actions on the collection manifest and its tags to protobuf messages and back. */
final class CollectionActionMessages {
    private CollectionActionMessages() {}

    static void write(Action.OfCollection action, UserOperationProto.Action.Builder out) {
        if (action instanceof Action.SetLanceVersion set) {
            out.getSetLanceVersionBuilder().setFrom(set.from()).setTo(set.to());
        } else if (action instanceof Action.AddSplit add) {
            out.getAddSplitBuilder()
                    .setSplit(ManifestMessages.toMessage(add.split()))
                    .setPosition(add.position());
        } else if (action instanceof Action.RemoveSplit remove) {
            out.getRemoveSplitBuilder().setUlid(bytes(remove.ulid()));
        } else if (action instanceof Action.UpdateSplit update) {
            out.getUpdateSplitBuilder()
                    .setUlid(bytes(update.ulid()))
                    .setDeletedCount(update.deletedCount())
                    .setDeleteBitmap(update.deleteBitmap());
        } else if (action instanceof Action.AddVectorIndexRef add) {
            out.getAddIndexRefBuilder().setVector(ManifestMessages.toMessage(add.index()));
        } else if (action instanceof Action.AddScalarIndexRef add) {
            out.getAddIndexRefBuilder().setScalar(ManifestMessages.toMessage(add.index()));
        } else if (action instanceof Action.RemoveIndexRef remove) {
            out.getRemoveIndexRefBuilder().setUuid(remove.uuid());
        } else if (action instanceof Action.SetHotArtifact set) {
            out.getSetHotArtifactBuilder().setArtifact(ManifestMessages.toMessage(set.artifact()));
        } else if (action instanceof Action.RemoveHotArtifact remove) {
            out.getRemoveHotArtifactBuilder().setColumn(remove.column());
        } else {
            writeScalars(action, out);
        }
    }

    private static void writeScalars(
            Action.OfCollection action, UserOperationProto.Action.Builder out) {
        if (action instanceof Action.AdvanceOffsets advance) {
            out.getAdvanceOffsetsBuilder().putAllNext(advance.next());
        } else if (action instanceof Action.AdjustCounters adjust) {
            out.getAdjustCountersBuilder()
                    .setLiveDocs(adjust.liveDocs())
                    .setDeadLetters(adjust.deadLetters())
                    .setSkippedOffsets(adjust.skippedOffsets());
        } else if (action instanceof Action.SetSchemaVersion set) {
            out.getSetSchemaVersionBuilder().setSchemaVersion(set.schemaVersion());
        } else if (action instanceof Action.AttachFiles attach) {
            out.getAttachFilesBuilder()
                    .setPkDelta(attach.pkDelta())
                    .setDeadLetters(attach.deadLetters());
        } else if (action instanceof Action.EraseMark mark) {
            out.getEraseMarkBuilder().setErasureId(mark.erasureId()).putAllOffsets(mark.offsets());
        } else if (action instanceof Action.AddTag tag) {
            writeTag(tag, out.getAddTagBuilder());
        } else if (action instanceof Action.RemoveTag tag) {
            out.getRemoveTagBuilder().setTagName(tag.name());
        } else {
            throw new IllegalStateException("no message for " + action);
        }
    }

    private static void writeTag(Action.AddTag tag, UserOperationProto.AddTag.Builder out) {
        out.setTagName(tag.name()).setProtect(tag.protect());
        if (tag.manifestVersion() != null) {
            out.setManifestVersion(tag.manifestVersion());
        }
        if (tag.description() != null) {
            out.setDescription(tag.description());
        }
        if (tag.expiresAtMs() != null) {
            out.setExpiresAtMs(tag.expiresAtMs());
        }
    }

    static Action read(UserOperationProto.Action message) {
        switch (message.getActionCase()) {
            case SET_LANCE_VERSION:
                return new Action.SetLanceVersion(
                        message.getSetLanceVersion().getFrom(),
                        message.getSetLanceVersion().getTo());
            case ADD_SPLIT:
                return addSplit(message.getAddSplit());
            case REMOVE_SPLIT:
                return new Action.RemoveSplit(
                        ManifestMessages.ulid(message.getRemoveSplit().getUlid()));
            case UPDATE_SPLIT:
                UserOperationProto.UpdateSplit update = message.getUpdateSplit();
                return new Action.UpdateSplit(
                        ManifestMessages.ulid(update.getUlid()),
                        update.getDeletedCount(),
                        update.getDeleteBitmap());
            case ADD_INDEX_REF:
                return addIndexRef(message.getAddIndexRef());
            case REMOVE_INDEX_REF:
                return new Action.RemoveIndexRef(message.getRemoveIndexRef().getUuid());
            case SET_HOT_ARTIFACT:
                return new Action.SetHotArtifact(
                        ManifestMessages.fromMessage(message.getSetHotArtifact().getArtifact()));
            case REMOVE_HOT_ARTIFACT:
                return new Action.RemoveHotArtifact(message.getRemoveHotArtifact().getColumn());
            default:
                return readScalars(message);
        }
    }

    private static Action readScalars(UserOperationProto.Action message) {
        switch (message.getActionCase()) {
            case ADVANCE_OFFSETS:
                return new Action.AdvanceOffsets(message.getAdvanceOffsets().getNextMap());
            case ADJUST_COUNTERS:
                UserOperationProto.AdjustCounters adjust = message.getAdjustCounters();
                return new Action.AdjustCounters(
                        adjust.getLiveDocs(), adjust.getDeadLetters(), adjust.getSkippedOffsets());
            case SET_SCHEMA_VERSION:
                return new Action.SetSchemaVersion(
                        message.getSetSchemaVersion().getSchemaVersion());
            case ATTACH_FILES:
                return new Action.AttachFiles(
                        message.getAttachFiles().getPkDelta(),
                        message.getAttachFiles().getDeadLetters());
            case ERASE_MARK:
                return new Action.EraseMark(
                        message.getEraseMark().getErasureId(),
                        message.getEraseMark().getOffsetsMap());
            case ADD_TAG:
                return addTag(message.getAddTag());
            case REMOVE_TAG:
                return new Action.RemoveTag(message.getRemoveTag().getTagName());
            default:
                throw new IllegalStateException("no action for " + message.getActionCase());
        }
    }

    private static Action addSplit(UserOperationProto.AddSplit message) {
        SplitRef split = ManifestMessages.fromMessage(message.getSplit());
        try {
            ManifestCheck.checkSplit(split);
        } catch (ManifestCheck.Violation e) {
            throw new CorruptException(e.getMessage(), e);
        }
        return new Action.AddSplit(split, message.getPosition());
    }

    private static Action addIndexRef(UserOperationProto.AddIndexRef message) {
        switch (message.getRefCase()) {
            case VECTOR:
                return new Action.AddVectorIndexRef(
                        ManifestMessages.fromMessage(message.getVector()));
            case SCALAR:
                return new Action.AddScalarIndexRef(
                        ManifestMessages.fromMessage(message.getScalar()));
            default:
                throw new CorruptException(
                        "added index: found neither, expected a vector or a scalar index");
        }
    }

    private static Action addTag(UserOperationProto.AddTag message) {
        return new Action.AddTag(
                message.getTagName(),
                message.hasManifestVersion() ? message.getManifestVersion() : null,
                message.hasDescription() ? message.getDescription() : null,
                message.hasExpiresAtMs() ? message.getExpiresAtMs() : null,
                message.getProtect());
    }

    private static ByteString bytes(Ulid ulid) {
        return ByteString.copyFrom(ulid.toBytes());
    }
}
