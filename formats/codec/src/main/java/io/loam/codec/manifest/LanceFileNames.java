package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.proto.UserOperationProto;

import com.google.protobuf.InvalidProtocolBufferException;

import java.util.ArrayList;
import java.util.List;

/** Reads from Lance's own messages what names files; everything else in them is passed over. */
final class LanceFileNames {
    private static final String[] DELETION_SUFFIXES = {".arrow", ".bin"};

    private LanceFileNames() {}

    /**
     * Files an action added to the dataset.
     *
     * @throws CorruptException if a carried message is not what its place says
     */
    static List<String> newFiles(CollectionPaths paths, LanceAction action) {
        List<String> files = new ArrayList<>();
        try {
            if (action instanceof LanceAction.AddFragments add) {
                for (OpaqueMessage fragment : add.fragments()) {
                    addFragment(files, paths, fragment);
                }
            } else if (action instanceof LanceAction.UpdateFragment update) {
                for (OpaqueMessage file : update.addedDataFiles()) {
                    addDataFile(
                            files, paths, UserOperationProto.DataFilePath.parseFrom(file.bytes()));
                }
                if (update.deletionFile() != null) {
                    addDeletionFile(
                            files,
                            paths,
                            update.fragmentId(),
                            UserOperationProto.DeletionFileName.parseFrom(
                                    update.deletionFile().bytes()));
                }
            } else if (action instanceof LanceAction.AddIndex add) {
                UserOperationProto.IndexUuid index =
                        UserOperationProto.IndexUuid.parseFrom(add.index().bytes());
                files.add(paths.lanceIndex(UserOperationCodec.uuid(index.getUuid()).toString()));
            }
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(
                    "a message of Lance in " + action + ": " + e.getMessage(), e);
        }
        return files;
    }

    private static void addFragment(
            List<String> files, CollectionPaths paths, OpaqueMessage message)
            throws InvalidProtocolBufferException {
        UserOperationProto.FragmentFiles fragment =
                UserOperationProto.FragmentFiles.parseFrom(message.bytes());
        for (UserOperationProto.DataFilePath file : fragment.getFilesList()) {
            addDataFile(files, paths, file);
        }
        if (fragment.hasExternalRowIds()) {
            files.add(paths.lance() + fragment.getExternalRowIds().getPath());
        }
        if (fragment.hasDeletionFile()) {
            addDeletionFile(files, paths, fragment.getId(), fragment.getDeletionFile());
        }
    }

    private static void addDataFile(
            List<String> files, CollectionPaths paths, UserOperationProto.DataFilePath file) {
        files.add(paths.lanceData(file.getPath()));
    }

    private static void addDeletionFile(
            List<String> files,
            CollectionPaths paths,
            long fragment,
            UserOperationProto.DeletionFileName file) {
        int type = file.getType();
        if (type < 0 || type >= DELETION_SUFFIXES.length) {
            throw new CorruptException(
                    "type of a deletion file: found "
                            + Integer.toUnsignedString(type)
                            + ", expected 0 or 1");
        }
        files.add(
                paths.lance()
                        + "_deletions/"
                        + Long.toUnsignedString(fragment)
                        + "-"
                        + Long.toUnsignedString(file.getReadVersion())
                        + "-"
                        + Long.toUnsignedString(file.getId())
                        + DELETION_SUFFIXES[type]);
    }
}
