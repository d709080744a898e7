package io.loam.codec.lance;

import io.loam.codec.RoaringFormat;
import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.IndexMetadata;
import io.loam.codec.proto.LanceManifestProto.Uuid;

import com.google.protobuf.ByteString;
import org.roaringbitmap.RoaringBitmap;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * A segment whose files are there, but that no version names yet.
 *
 * @param name shared by the segments of one index
 * @param fields ids of the fields it is over
 * @param datasetVersion the version it was built on; unsigned
 * @param formatVersion of the index's own format
 * @param details what kind of index it is, as Lance encodes it; empty if it says nothing
 * @param files as they were written, so that damage is found before Lance reads them
 * @param createdAtMs since the epoch
 */
public record NewIndexSegment(
        UUID id,
        String name,
        List<Integer> fields,
        long datasetVersion,
        int formatVersion,
        byte[] details,
        List<IndexFile> files,
        long createdAtMs)
        implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int UUID_BYTES = 16;

    public NewIndexSegment {
        fields = List.copyOf(fields);
        files = List.copyOf(files);
    }

    /** Lance's IndexMetadata of it, covering some fragments. */
    public byte[] encode(Collection<Long> fragments) {
        RoaringBitmap covered = new RoaringBitmap();
        fragments.forEach(fragment -> covered.add(fragment.intValue()));
        ByteBuffer uuid = ByteBuffer.allocate(UUID_BYTES);
        uuid.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).flip();
        IndexMetadata.Builder index =
                IndexMetadata.newBuilder()
                        .setUuid(Uuid.newBuilder().setUuid(ByteString.copyFrom(uuid)))
                        .addAllFields(fields)
                        .setName(name)
                        .setDatasetVersion(datasetVersion)
                        .setFragmentBitmap(ByteString.copyFrom(RoaringFormat.encode(covered)))
                        .setIndexVersion(formatVersion)
                        .setCreatedAt(createdAtMs);
        for (IndexFile file : files) {
            index.addFilesWritten(
                    LanceManifestProto.IndexFile.newBuilder()
                            .setName(file.name())
                            .setBytes(file.bytes())
                            .setCrc32C(file.crc32c()));
        }
        if (details.length > 0) {
            index.setIndexDetails(ByteString.copyFrom(details));
        }
        return index.build().toByteArray();
    }
}
