package io.loam.s3;

import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.S3Exception;

import javax.xml.stream.XMLStreamException;

import java.time.Duration;

/**
 * Makes clients of the SDK. A request that may have failed by chance (a connection that broke, a
 * time-out, 500, 503, a conflict of conditional puts) is sent up to {@value #ATTEMPTS} times, with
 * pauses drawn from a range that doubles from {@value #FIRST_PAUSE_MS} to {@value #LAST_PAUSE_MS}
 * ms.
 */
final class S3Clients {
    static final int ATTEMPTS = 8;
    private static final int FIRST_PAUSE_MS = 100;
    private static final int LAST_PAUSE_MS = 5_000;

    private static final int CONFLICT = 409;

    /** Above this a put asks the server first, which costs a round trip and may save the body. */
    private static final long ASK_FIRST_BYTES = 8 << 20;

    private S3Clients() {}

    /**
     * @throws IllegalArgumentException if no region is given or found
     */
    static S3Client open(S3Settings settings) {
        S3ClientBuilder builder =
                S3Client.builder()
                        .region(region(settings))
                        .credentialsProvider(credentials(settings))
                        .forcePathStyle(settings.pathStyle())
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .addPlugin(LegacyMd5Plugin.create())
                        .serviceConfiguration(
                                service ->
                                        service.expectContinueThresholdInBytes(ASK_FIRST_BYTES)
                                                .chunkedEncodingEnabled(false))
                        .httpClientBuilder(
                                UrlConnectionHttpClient.builder()
                                        .connectionTimeout(settings.timeout())
                                        .socketTimeout(settings.timeout()))
                        .overrideConfiguration(override -> override.retryStrategy(retries()));
        if (settings.endpoint() != null) {
            builder.endpointOverride(settings.endpoint());
        }
        return builder.build();
    }

    private static StandardRetryStrategy retries() {
        BackoffStrategy pauses =
                BackoffStrategy.exponentialDelay(
                        Duration.ofMillis(FIRST_PAUSE_MS), Duration.ofMillis(LAST_PAUSE_MS));
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(ATTEMPTS)
                .backoffStrategy(pauses)
                .throttlingBackoffStrategy(pauses)
                // One caller's failures must not take the attempts of another.
                .circuitBreakerEnabled(false)
                .retryOnException(e -> e instanceof S3Exception s3 && s3.statusCode() == CONFLICT)
                // An answer that broke off.
                .retryOnExceptionOrCause(XMLStreamException.class)
                .build();
    }

    private static Region region(S3Settings settings) {
        if (settings.region() != null) {
            return Region.of(settings.region());
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion();
        } catch (SdkException e) {
            throw new IllegalArgumentException(
                    "no region for the bucket "
                            + settings.bucket()
                            + "; set "
                            + S3Options.REGION
                            + " or the environment variable AWS_REGION",
                    e);
        }
    }

    private static AwsCredentialsProvider credentials(S3Settings settings) {
        if (settings.accessKey() == null) {
            return DefaultCredentialsProvider.builder().build();
        }
        return StaticCredentialsProvider.create(
                settings.sessionToken() == null
                        ? AwsBasicCredentials.create(settings.accessKey(), settings.secretKey())
                        : AwsSessionCredentials.create(
                                settings.accessKey(),
                                settings.secretKey(),
                                settings.sessionToken()));
    }
}
