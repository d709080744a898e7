package io.loam.s3;

import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.ParallelIo;

import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Object;

import java.io.IOException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Objects of an S3 bucket; the key is the warehouse's folder, a slash and the object's path.
 *
 * <p>Every request is repeated as {@link S3Clients} says; puts are create-only as {@link S3Puts}
 * says, large ones as {@link S3Multipart} says. Times of objects are whole seconds, as the
 * protocol's headers have them. Lists leave out keys that end in a slash, which consoles make for
 * folders.
 */
final class S3ObjectStore implements ObjectStore {
    /** Keys of one request to delete; the protocol's limit. */
    private static final int DELETE_BATCH = 1_000;

    private final S3Settings settings;
    private final S3Client client;
    private final S3Gets gets;
    private final S3Puts puts;
    private final S3Errors errors;
    private final ParallelIo parallel = new ParallelIo("loam-s3");

    S3ObjectStore(S3Settings settings, S3Multipart.Sizes sizes) {
        this.settings = settings;
        this.client = S3Clients.open(settings);
        this.gets = new S3Gets(client, settings);
        this.puts = new S3Puts(client, settings, gets, new S3Multipart(client, settings, sizes));
        this.errors = new S3Errors(settings);
    }

    @Override
    public void put(String path, byte[] bytes) throws IOException {
        puts.put(path, S3Content.of(bytes));
    }

    @Override
    public void putFile(String path, Path file) throws IOException {
        settings.key(path);
        puts.put(path, S3Content.of(file));
    }

    @Override
    public void putAll(List<Put> all) throws IOException {
        if (all.isEmpty()) {
            return;
        }
        parallel.map(
                all,
                put -> {
                    put(put.path(), put.bytes());
                    return null;
                });
    }

    @Override
    public byte[] get(String path) throws IOException {
        return gets.whole(path);
    }

    @Override
    public byte[] get(String path, long offset, int length) throws IOException {
        return gets.range(path, offset, length);
    }

    @Override
    public void download(String path, Path file) throws IOException {
        gets.download(path, file);
    }

    @Override
    public Optional<ObjectInfo> stat(String path) throws IOException {
        return gets.stat(path);
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
        List<ObjectInfo> found = new ArrayList<>();
        try {
            for (ListObjectsV2Response page :
                    client.listObjectsV2Paginator(
                            request ->
                                    request.bucket(settings.bucket())
                                            .prefix(settings.root() + prefix))) {
                for (S3Object object : page.contents()) {
                    if (!object.key().endsWith("/")) {
                        found.add(info(object));
                    }
                }
            }
        } catch (SdkException e) {
            throw errors.of("list", prefix, e);
        }
        // The protocol's order is that of UTF-8 bytes.
        found.sort(Comparator.comparing(ObjectInfo::path));
        return found;
    }

    private ObjectInfo info(S3Object object) {
        return new ObjectInfo(
                settings.path(object.key()),
                object.size(),
                object.lastModified().truncatedTo(ChronoUnit.SECONDS).toEpochMilli());
    }

    @Override
    public void delete(String path) throws IOException {
        String key = settings.key(path);
        try {
            client.deleteObject(request -> request.bucket(settings.bucket()).key(key));
        } catch (SdkException e) {
            if (!S3Errors.absent(e)) {
                throw errors.of("delete", path, e);
            }
        }
    }

    @Override
    public void deleteAll(List<String> paths) throws IOException {
        List<ObjectIdentifier> keys = new ArrayList<>();
        for (String path : paths) {
            keys.add(ObjectIdentifier.builder().key(settings.key(path)).build());
        }
        for (int from = 0; from < keys.size(); from += DELETE_BATCH) {
            deleteBatch(keys.subList(from, Math.min(from + DELETE_BATCH, keys.size())));
        }
    }

    private void deleteBatch(List<ObjectIdentifier> keys) throws IOException {
        List<S3Error> failed;
        try {
            failed =
                    client.deleteObjects(
                                    request ->
                                            request.bucket(settings.bucket())
                                                    .delete(all -> all.objects(keys).quiet(true)))
                            .errors();
        } catch (SdkException e) {
            throw errors.of("delete", settings.path(keys.get(0).key()), e);
        }
        for (S3Error error : failed) {
            if (!"NoSuchKey".equals(error.code())) {
                throw new IOException(
                        "could not delete "
                                + settings.uri(error.key())
                                + " and "
                                + (failed.size() - 1)
                                + " more: "
                                + error.code()
                                + ", "
                                + error.message());
            }
        }
    }

    @Override
    public String uri(String path) {
        return settings.uri(settings.key(path));
    }

    /** The client does, see {@link S3Clients}. */
    @Override
    public boolean retries() {
        return true;
    }

    @Override
    public Map<String, String> nativeOptions() {
        return settings.nativeOptions();
    }

    @Override
    public void close() {
        parallel.close();
        client.close();
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return settings.toString();
    }
}
