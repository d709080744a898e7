package io.loam.codec.manifest;

import javax.annotation.Nullable;

/**
 * A record that was not applied, as it stood in the stream, and why. The reason's text up to its
 * first colon is a contract: {@code undecodable}, {@code wrong_partition} or {@code schema}.
 */
public record DeadLetter(
        int partition, long offset, @Nullable byte[] key, @Nullable byte[] value, String reason) {}
