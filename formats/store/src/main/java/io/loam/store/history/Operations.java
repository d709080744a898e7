package io.loam.store.history;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.UserOperation;
import io.loam.codec.manifest.UserOperationCodec;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ObjectStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/** Finds the operation a commit recorded, in its manifest or beside it. */
public final class Operations {
    private static final Logger LOG = LoggerFactory.getLogger(Operations.class);

    private Operations() {}

    /** Nothing if the writer recorded none, or if it cannot be read: the manifest is the truth. */
    public static Optional<UserOperation> recorded(
            ObjectStore objects, CollectionManifest manifest, String manifestPath)
            throws IOException {
        String path = manifest.operationPath();
        if (path.isEmpty()) {
            return Optional.ofNullable(manifest.operation());
        }
        try {
            return Optional.of(UserOperationCodec.decode(objects.get(path), path));
        } catch (ObjectNotFoundException | CorruptException e) {
            LOG.warn("{}: its operation cannot be read and is derived instead", manifestPath, e);
            return Optional.empty();
        }
    }
}
