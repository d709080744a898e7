package io.loam.s3;

import io.loam.store.object.ObjectInfo;
import io.loam.store.object.ObjectNotFoundException;

import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

import javax.annotation.Nullable;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;

/** Reads objects. A body that ends too soon is read again. */
final class S3Gets {
    private static final int BUFFER = 1 << 16;

    private final S3Client client;
    private final S3Settings settings;
    private final S3Errors errors;

    S3Gets(S3Client client, S3Settings settings) {
        this.client = client;
        this.settings = settings;
        this.errors = new S3Errors(settings);
    }

    /** What is done with the body of an answer; is called again from the start if it breaks off. */
    private interface Body<T> {
        T read(GetObjectResponse head, InputStream body) throws IOException;

        /** Tells a connection that breaks from what else may go wrong while a body is used. */
        final class Stream extends FilterInputStream {
            Stream(InputStream body) {
                super(body);
            }

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                try {
                    return in.read(bytes, offset, length);
                } catch (IOException e) {
                    throw RetryableException.create("the body broke off", e);
                }
            }
        }
    }

    byte[] whole(String path) throws IOException {
        return get(
                path,
                null,
                (head, body) -> {
                    long size = head.contentLength();
                    if (size > Integer.MAX_VALUE - 8) {
                        throw new IOException(
                                path + " has " + size + " bytes, too many for one array");
                    }
                    return exactly(body, (int) size);
                });
    }

    byte[] range(String path, long offset, int length) throws IOException {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "a range must not be negative: offset " + offset + ", length " + length);
        }
        if (length == 0 || offset > Long.MAX_VALUE - length) {
            long size = require(path).size();
            if (offset > size - length) {
                throw beyond(path, size, offset, length);
            }
            return new byte[0];
        }
        String range = "bytes=" + offset + "-" + (offset + length - 1);
        return get(
                path,
                new Range(range, offset, length),
                (head, body) -> {
                    if (head.contentLength() != length) {
                        throw beyond(path, total(path, head), offset, length);
                    }
                    return exactly(body, length);
                });
    }

    private record Range(String header, long offset, int length) {}

    private static EOFException beyond(String path, long size, long offset, int length) {
        return new EOFException(
                path + " has " + size + " bytes, not " + length + " from " + offset);
    }

    /** The object's size as the answer to a ranged read tells it: {@code bytes 3-9/10}. */
    private static long total(String path, GetObjectResponse head) throws IOException {
        String range = head.contentRange();
        if (range == null) {
            throw new IOException(path + ": the server gave all of it instead of a range");
        }
        return Long.parseLong(range.substring(range.lastIndexOf('/') + 1));
    }

    void download(String path, Path file) throws IOException {
        settings.key(path);
        FileChannel to =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (to) {
            get(
                    path,
                    null,
                    (head, body) -> {
                        to.truncate(0);
                        copy(body, to, head.contentLength());
                        return null;
                    });
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    private static void copy(InputStream from, FileChannel to, long size) throws IOException {
        byte[] buffer = new byte[BUFFER];
        long copied = 0;
        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
            ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
            copied += count;
        }
        requireAll(copied, size);
    }

    private static byte[] exactly(InputStream body, int size) throws IOException {
        byte[] bytes = body.readNBytes(size);
        requireAll(bytes.length, size);
        return bytes;
    }

    /** The JDK's HTTP client takes a connection that breaks for the end of the body. */
    private static void requireAll(long read, long size) {
        if (read != size) {
            throw RetryableException.create("the body ended after " + read + " of " + size);
        }
    }

    private <T> T get(String path, @Nullable Range range, Body<T> body) throws IOException {
        String key = settings.key(path);
        try {
            return client.getObject(
                    request -> {
                        request.bucket(settings.bucket()).key(key);
                        if (range != null) {
                            request.range(range.header());
                        }
                    },
                    (ResponseTransformer<GetObjectResponse, T>)
                            (head, stream) -> used(body, head, stream));
        } catch (SdkException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof Definite definite) {
                    throw definite.failure;
                }
            }
            if (range != null && S3Errors.beyondEnd(e)) {
                throw beyond(path, require(path).size(), range.offset(), range.length());
            }
            throw errors.of("get", path, e);
        }
    }

    private static <T> T used(Body<T> body, GetObjectResponse head, InputStream stream) {
        try {
            return body.read(head, new Body.Stream(stream));
        } catch (IOException e) {
            throw new Definite(e);
        }
    }

    /** Carries a failure that another attempt would meet again through the SDK. */
    private static final class Definite extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final IOException failure;

        Definite(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    Optional<ObjectInfo> stat(String path) throws IOException {
        String key = settings.key(path);
        try {
            HeadObjectResponse head =
                    client.headObject(request -> request.bucket(settings.bucket()).key(key));
            return Optional.of(
                    new ObjectInfo(
                            path,
                            head.contentLength(),
                            head.lastModified().truncatedTo(ChronoUnit.SECONDS).toEpochMilli()));
        } catch (SdkException e) {
            if (S3Errors.absent(e)) {
                return Optional.empty();
            }
            throw errors.of("stat", path, e);
        }
    }

    private ObjectInfo require(String path) throws IOException {
        return stat(path).orElseThrow(() -> new ObjectNotFoundException(path));
    }

    /**
     * Whether the object has these bytes.
     *
     * @throws ObjectNotFoundException if there is none
     */
    boolean same(String path, S3Content content) throws IOException {
        if (require(path).size() != content.size()) {
            return false;
        }
        return get(path, null, (head, body) -> equal(body, content));
    }

    private static boolean equal(InputStream there, S3Content content) throws IOException {
        try (InputStream here = content.from(0)) {
            long read = 0;
            for (byte[] bytes = there.readNBytes(BUFFER);
                    bytes.length > 0;
                    bytes = there.readNBytes(BUFFER)) {
                if (!Arrays.equals(bytes, here.readNBytes(bytes.length))) {
                    return false;
                }
                read += bytes.length;
            }
            requireAll(read, content.size());
            return true;
        }
    }
}
