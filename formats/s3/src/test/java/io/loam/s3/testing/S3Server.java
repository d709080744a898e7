package io.loam.s3.testing;

import io.loam.s3.S3Options;

import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

/** A running S3 server. */
public interface S3Server extends AutoCloseable {
    String ACCESS_KEY = "AK";
    String SECRET_KEY = "SK-never-shown";

    /** Such as {@code http://127.0.0.1:39931}. */
    String endpoint();

    /** What an S3 warehouse on this server is opened with. */
    default Map<String, String> properties() {
        return properties(endpoint());
    }

    /** The same through a proxy. */
    static Map<String, String> properties(String endpoint) {
        return Map.of(
                S3Options.ENDPOINT, endpoint,
                S3Options.ACCESS_KEY, ACCESS_KEY,
                S3Options.SECRET_KEY, SECRET_KEY);
    }

    /** A plain client of the server. */
    default S3Client client() {
        return S3Client.builder()
                .endpointOverride(URI.create(endpoint()))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(
                                AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }

    /** Makes an empty bucket. */
    default void createBucket(String bucket) {
        try (S3Client client = client()) {
            client.createBucket(request -> request.bucket(bucket));
        }
    }

    /** Every object of a bucket by its key, read with a plain client. */
    default Map<String, byte[]> objects(String bucket) {
        try (S3Client client = client()) {
            Map<String, byte[]> objects = new TreeMap<>();
            client.listObjectsV2Paginator(request -> request.bucket(bucket))
                    .contents()
                    .forEach(
                            object ->
                                    objects.put(
                                            object.key(),
                                            client.getObjectAsBytes(
                                                            request ->
                                                                    request.bucket(bucket)
                                                                            .key(object.key()))
                                                    .asByteArray()));
            return objects;
        }
    }

    @Override
    void close() throws IOException;
}
