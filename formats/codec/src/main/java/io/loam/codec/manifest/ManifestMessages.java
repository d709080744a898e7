package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.proto.ManifestProto;

import com.google.protobuf.ByteString;

import java.util.ArrayList;
import java.util.List;

/** References of a manifest to protobuf messages and back. */
final class ManifestMessages {
    private static final int ULID_BYTES = 16;

    private ManifestMessages() {}

    static ManifestProto.SplitRef toMessage(SplitRef split) {
        ManifestProto.SplitRef.Builder message =
                ManifestProto.SplitRef.newBuilder()
                        .setUlid(ByteString.copyFrom(split.ulid().toBytes()))
                        .setDocCount(split.docCount())
                        .setDeletedCount(split.deletedCount())
                        .setSizeBytes(split.sizeBytes())
                        .setFooterStart(split.footerStart())
                        .setFooterEnd(split.footerEnd())
                        .setDeleteBitmap(split.deleteBitmap())
                        .setSchemaVersion(split.schemaVersion())
                        .setCreatedAtMs(split.createdAtMs())
                        .setMergeOps(split.mergeOps())
                        .setFooterCrc32C(split.footerCrc32c())
                        .setPlaceholderCount(split.placeholderCount());
        for (RowIdRange range : split.ranges()) {
            message.addRowIds(
                    ManifestProto.RowIdRange.newBuilder()
                            .setStart(range.start())
                            .setEnd(range.end()));
        }
        return message.build();
    }

    static SplitRef fromMessage(ManifestProto.SplitRef message) {
        List<RowIdRange> ranges = new ArrayList<>();
        for (ManifestProto.RowIdRange range : message.getRowIdsList()) {
            ranges.add(new RowIdRange(range.getStart(), range.getEnd()));
        }
        return new SplitRef(
                ulid(message.getUlid()),
                message.getDocCount(),
                message.getDeletedCount(),
                message.getSizeBytes(),
                message.getFooterStart(),
                message.getFooterEnd(),
                ranges,
                message.getDeleteBitmap(),
                message.getSchemaVersion(),
                message.getCreatedAtMs(),
                message.getMergeOps(),
                message.getFooterCrc32C(),
                message.getPlaceholderCount());
    }

    static Ulid ulid(ByteString bytes) {
        if (bytes.size() != ULID_BYTES) {
            throw new CorruptException(
                    "ulid: found " + bytes.size() + " bytes, expected " + ULID_BYTES);
        }
        return Ulid.fromBytes(bytes.toByteArray());
    }

    static ManifestProto.VectorIndexRef toMessage(VectorIndexRef index) {
        return ManifestProto.VectorIndexRef.newBuilder()
                .setColumn(index.column())
                .setLanceIndexUuid(index.uuid())
                .setIndexedRowIdsUpto(index.indexedRowIdsUpto())
                .setIndexName(index.indexName())
                .setVector(index.vectorName())
                .setKindValue(index.kind().number())
                .build();
    }

    static VectorIndexRef fromMessage(ManifestProto.VectorIndexRef message) {
        return new VectorIndexRef(
                message.getColumn(),
                message.getLanceIndexUuid(),
                message.getIndexedRowIdsUpto(),
                message.getIndexName(),
                message.getVector(),
                indexKind(message.getKindValue()));
    }

    private static VectorIndexRef.Kind indexKind(int number) {
        for (VectorIndexRef.Kind kind : VectorIndexRef.Kind.values()) {
            if (kind.number() == number) {
                return kind;
            }
        }
        throw new CorruptException("vector index kind: found " + number + ", expected 1 to 3");
    }

    static ManifestProto.ScalarIndexRef toMessage(ScalarIndexRef index) {
        return ManifestProto.ScalarIndexRef.newBuilder()
                .setColumn(index.column())
                .setLanceIndexUuid(index.uuid())
                .setIndexedRowIdsUpto(index.indexedRowIdsUpto())
                .setIndexName(index.indexName())
                .build();
    }

    static ScalarIndexRef fromMessage(ManifestProto.ScalarIndexRef message) {
        return new ScalarIndexRef(
                message.getColumn(),
                message.getLanceIndexUuid(),
                message.getIndexedRowIdsUpto(),
                message.getIndexName());
    }

    static ManifestProto.HotArtifactRef toMessage(HotArtifactRef artifact) {
        return ManifestProto.HotArtifactRef.newBuilder()
                .setKind(artifact.kind())
                .setColumn(artifact.column())
                .setPrefix(artifact.prefix())
                .setSourceVersion(artifact.sourceVersion())
                .build();
    }

    static HotArtifactRef fromMessage(ManifestProto.HotArtifactRef message) {
        return new HotArtifactRef(
                message.getKind(),
                message.getColumn(),
                message.getPrefix(),
                message.getSourceVersion());
    }

    static CommitKind commitKind(int number) {
        for (CommitKind kind : CommitKind.values()) {
            if (kind.number() == number) {
                return kind;
            }
        }
        throw new CorruptException(
                "commit kind: found "
                        + (number == 0 ? "unspecified" : "" + number)
                        + ", expected 1 to 3");
    }
}
