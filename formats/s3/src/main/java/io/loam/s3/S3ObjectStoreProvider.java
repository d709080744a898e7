package io.loam.s3;

import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.ObjectStoreProvider;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Opens {@code s3://bucket/folder}; found as a service. Settings: {@link S3Options}. */
public final class S3ObjectStoreProvider implements ObjectStoreProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("s3", "s3a");
    }

    @Override
    public ObjectStore open(String location, Map<String, String> properties) {
        return new S3ObjectStore(S3Settings.parse(location, properties), S3Multipart.Sizes.DEFAULT);
    }

    /**
     * Puts an object twice. Servers exist that take no notice of {@code If-None-Match}; two
     * committers there would overwrite each other.
     */
    @Override
    public void requireWritable(ObjectStore opened) throws IOException {
        String probe = "probe/" + UUID.randomUUID();
        opened.put(probe, new byte[] {1});
        try {
            opened.put(probe, new byte[] {2});
        } catch (ObjectExistsException e) {
            return;
        } finally {
            opened.delete(probe);
        }
        throw new IOException(
                "the server of "
                        + opened
                        + " overwrites objects although it was asked not to (If-None-Match); see"
                        + " docs/operations/s3.md for servers that can be used");
    }
}
