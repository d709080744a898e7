package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.proto.ManifestProto;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import javax.annotation.Nullable;

import java.util.Optional;

/**
 * Collection manifests: envelope {@code OPCM} around the protobuf message {@code
 * loam.collection.v1.CollectionManifest}.
 *
 * <p>Fields below 100 are shared with other implementations; readers of those skip fields from 100,
 * and readers here do without them. A user operation that cannot be read leaves the manifest
 * readable, since the manifest is the truth and the operation only explains it.
 */
public final class ManifestCodec {
    private ManifestCodec() {}

    /**
     * The object of a manifest.
     *
     * @throws IllegalArgumentException if no reader would accept it
     */
    public static byte[] encode(CollectionManifest manifest) {
        return Envelope.wrap(Envelope.Type.OPCM, encodeBody(manifest));
    }

    /**
     * Reads a manifest.
     *
     * @param path names the object in the exception's message
     * @throws CorruptException if the bytes are damaged or contradict themselves
     */
    public static CollectionManifest decode(byte[] object, String path) {
        return decodeBody(Envelope.unwrap(Envelope.Type.OPCM, object, path), path);
    }

    /** Why the operation inside a manifest cannot be read, if there is one and it cannot. */
    public static Optional<String> operationDamage(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPCM, object, path);
        ManifestProto.CollectionManifest message = parse(body, path);
        try {
            if (message.hasOperation()) {
                UserOperationCodec.decodeBody(message.getOperation().toByteArray(), path);
            }
            return Optional.empty();
        } catch (CorruptException e) {
            return Optional.of(e.getMessage());
        }
    }

    static byte[] encodeBody(CollectionManifest manifest) {
        try {
            ManifestCheck.check(manifest);
        } catch (ManifestCheck.Violation e) {
            throw new IllegalArgumentException(
                    "manifest of version "
                            + Long.toUnsignedString(manifest.version())
                            + ": "
                            + e.getMessage(),
                    e);
        }
        ManifestProto.CollectionManifest.Builder message =
                ManifestProto.CollectionManifest.newBuilder()
                        .setVersion(manifest.version())
                        .setParentVersion(manifest.parentVersion())
                        .setCollectionId(manifest.collectionId())
                        .setSchemaVersion(manifest.schemaVersion())
                        .setCreatedAtMs(manifest.createdAtMs())
                        .setLanceVersion(manifest.lanceVersion())
                        .putAllApplied(manifest.applied())
                        .setLiveDocCount(manifest.liveDocCount())
                        .setParentManifest(manifest.parentManifest())
                        .setKindValue(manifest.kind().number())
                        .setPkDelta(manifest.pkDelta())
                        .setDeadLetters(manifest.deadLetters())
                        .setDeadLettersTotal(manifest.deadLettersTotal())
                        .setSkippedOffsetsTotal(manifest.skippedOffsetsTotal())
                        .setOperationPath(manifest.operationPath())
                        .putAllProperties(manifest.properties())
                        .setRowIdHighWater(manifest.rowIdHighWater());
        manifest.splits().forEach(s -> message.addSplits(ManifestMessages.toMessage(s)));
        manifest.vectorIndexes()
                .forEach(i -> message.addVectorIndexes(ManifestMessages.toMessage(i)));
        manifest.scalarIndexes()
                .forEach(i -> message.addScalarIndexes(ManifestMessages.toMessage(i)));
        manifest.hotArtifacts()
                .forEach(h -> message.addHotArtifacts(ManifestMessages.toMessage(h)));
        if (manifest.operation() != null) {
            message.setOperation(
                    ByteString.copyFrom(UserOperationCodec.encodeBody(manifest.operation())));
        }
        return message.build().toByteArray();
    }

    static CollectionManifest decodeBody(byte[] body, String path) {
        ManifestProto.CollectionManifest message = parse(body, path);
        try {
            CollectionManifest manifest = fromMessage(message, path);
            ManifestCheck.check(manifest);
            return manifest;
        } catch (CorruptException | ManifestCheck.Violation e) {
            throw new CorruptException(path + ": manifest: " + e.getMessage(), e);
        }
    }

    private static ManifestProto.CollectionManifest parse(byte[] body, String path) {
        try {
            return ManifestProto.CollectionManifest.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(path + ": manifest: not protobuf: " + e.getMessage(), e);
        }
    }

    private static CollectionManifest fromMessage(
            ManifestProto.CollectionManifest message, String path) {
        return new CollectionManifest(
                message.getVersion(),
                message.getParentVersion(),
                message.getCollectionId(),
                message.getSchemaVersion(),
                message.getCreatedAtMs(),
                message.getLanceVersion(),
                message.getSplitsList().stream().map(ManifestMessages::fromMessage).toList(),
                message.getVectorIndexesList().stream().map(ManifestMessages::fromMessage).toList(),
                message.getHotArtifactsList().stream().map(ManifestMessages::fromMessage).toList(),
                message.getAppliedMap(),
                message.getLiveDocCount(),
                message.getParentManifest(),
                ManifestMessages.commitKind(message.getKindValue()),
                message.getPkDelta(),
                message.getDeadLetters(),
                message.getDeadLettersTotal(),
                message.getSkippedOffsetsTotal(),
                message.getScalarIndexesList().stream().map(ManifestMessages::fromMessage).toList(),
                operation(message, path),
                message.getOperationPath(),
                message.getPropertiesMap(),
                message.getRowIdHighWater());
    }

    @Nullable
    private static UserOperation operation(ManifestProto.CollectionManifest message, String path) {
        if (!message.hasOperation()) {
            return null;
        }
        try {
            return UserOperationCodec.decodeBody(message.getOperation().toByteArray(), path);
        } catch (CorruptException e) {
            return null; // callers who care ask operationDamage
        }
    }
}
