package io.loam.s3;

import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectNotFoundException;

import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

import java.io.IOException;
import java.time.Duration;

/**
 * Create-only puts. A put carries {@code If-None-Match: *}, which the server must honour (<a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">conditional
 * writes</a>). What its answer means:
 *
 * <pre>
 * 200                          created
 * 412 to the first attempt     taken: ObjectExistsException
 * 412 to a later attempt       an earlier one may have created it: same bytes there? created;
 *                              other bytes: taken
 * 409, 5xx, broken connection, repeated with pauses; if it stays so: same bytes there? created;
 * time-out                     other bytes: taken; nothing there or no answer: the error
 * other 4xx                    the error; nothing was changed
 * </pre>
 *
 * <p>Two writers that put the same bytes under one key may therefore both hear that they created
 * it, when one of them met a failure; for immutable objects that is the same.
 */
final class S3Puts {
    /** A transfer slower than this is cut off and tried again. */
    private static final long LEAST_BYTES_PER_SECOND = 1 << 20;

    private final S3Client client;
    private final S3Settings settings;
    private final S3Gets gets;
    private final S3Errors errors;
    private final S3Multipart multipart;

    S3Puts(S3Client client, S3Settings settings, S3Gets gets, S3Multipart multipart) {
        this.client = client;
        this.settings = settings;
        this.gets = gets;
        this.errors = new S3Errors(settings);
        this.multipart = multipart;
    }

    void put(String path, S3Content content) throws IOException {
        String key = settings.key(path);
        try {
            if (multipart.takes(key, content.size())) {
                if (gets.stat(path).isPresent()) {
                    throw new ObjectExistsException(path);
                }
                multipart.put(key, content);
            } else {
                putWhole(key, content);
            }
        } catch (SdkException e) {
            settle(path, content, e);
        }
    }

    private void putWhole(String key, S3Content content) {
        client.putObject(
                request ->
                        request.bucket(settings.bucket())
                                .key(key)
                                .ifNoneMatch("*")
                                .overrideConfiguration(
                                        override ->
                                                override.apiCallAttemptTimeout(
                                                        allowance(settings, content.size()))),
                content.body(0, content.size()));
    }

    /** How long sending some bytes may take. */
    static Duration allowance(S3Settings settings, long bytes) {
        return settings.timeout().plusSeconds(bytes / LEAST_BYTES_PER_SECOND);
    }

    /** Returns if the object is there as it should be. */
    private void settle(String path, S3Content content, SdkException e) throws IOException {
        boolean taken = S3Errors.keyTaken(e);
        if (taken && !S3Errors.repeated(e)) {
            throw new ObjectExistsException(path);
        }
        if (!taken && !S3Errors.outcomeUnknown(e)) {
            throw errors.of("put", path, e);
        }
        IOException failure = errors.of("put", path, e);
        try {
            if (gets.same(path, content)) {
                return;
            }
        } catch (ObjectNotFoundException absent) {
            throw failure;
        } catch (IOException unread) {
            failure.addSuppressed(unread);
            throw failure;
        }
        throw new ObjectExistsException(path);
    }
}
