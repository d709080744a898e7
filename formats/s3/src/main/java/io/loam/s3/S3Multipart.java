package io.loam.s3;

import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Puts large objects in parts. A server may ignore the condition when parts are put together (Ceph
 * does), so this is only for names that no two writers choose: a ULID or UUID is in them. Whether
 * the key is taken is looked up before; the condition is sent all the same. A large object of
 * another name goes in one request, which holds up to 5 GiB.
 */
final class S3Multipart {
    /** The end of a name such as {@code 00000000000000000042-01ARZ3NDEKTSV4RRFFQ69G5FAV.pb}. */
    private static final Pattern UNIQUE =
            Pattern.compile(
                    "(?i)(.*/)?([^/]*-)?([0-7][0-9a-hjkmnp-tv-z]{25}"
                            + "|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})(\\.[a-z0-9]+)?");

    private static final int MAX_PARTS = 10_000;

    private final S3Client client;
    private final S3Settings settings;
    private final Sizes sizes;

    /**
     * @param threshold size above which an object goes in parts
     * @param part size of a part; 5 MiB is the least S3 takes
     */
    record Sizes(long threshold, long part) {
        static final Sizes DEFAULT = new Sizes(256L << 20, 64L << 20);
    }

    S3Multipart(S3Client client, S3Settings settings, Sizes sizes) {
        this.client = client;
        this.settings = settings;
        this.sizes = sizes;
    }

    boolean takes(String key, long size) {
        return size > sizes.threshold() && UNIQUE.matcher(key).matches();
    }

    void put(String key, S3Content content) {
        String upload =
                client.createMultipartUpload(request -> request.bucket(bucket()).key(key))
                        .uploadId();
        try {
            List<CompletedPart> parts = upload(key, upload, content);
            client.completeMultipartUpload(
                    request ->
                            request.bucket(bucket())
                                    .key(key)
                                    .uploadId(upload)
                                    .ifNoneMatch("*")
                                    .multipartUpload(all -> all.parts(parts)));
        } catch (RuntimeException e) {
            abort(key, upload, e);
            throw e;
        }
    }

    private List<CompletedPart> upload(String key, String upload, S3Content content) {
        long size = content.size();
        long part = Math.max(sizes.part(), (size + MAX_PARTS - 1) / MAX_PARTS);
        List<CompletedPart> parts = new ArrayList<>();
        for (long offset = 0; offset < size; offset += part) {
            int number = parts.size() + 1;
            long start = offset;
            long length = Math.min(part, size - offset);
            String tag =
                    client.uploadPart(
                                    request ->
                                            request.bucket(bucket())
                                                    .key(key)
                                                    .uploadId(upload)
                                                    .partNumber(number)
                                                    .overrideConfiguration(
                                                            o ->
                                                                    o.apiCallAttemptTimeout(
                                                                            S3Puts.allowance(
                                                                                    settings,
                                                                                    length))),
                                    content.body(start, length))
                            .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        }
        return parts;
    }

    /** Frees the parts; of an upload that was put together after all, nothing is left to free. */
    private void abort(String key, String upload, RuntimeException failure) {
        try {
            client.abortMultipartUpload(
                    request -> request.bucket(bucket()).key(key).uploadId(upload));
        } catch (SdkException e) {
            failure.addSuppressed(e);
        }
    }

    private String bucket() {
        return settings.bucket();
    }
}
