package io.loam.store.tag;

import io.loam.codec.record.ConsistencyToken;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CommitMode;
import io.loam.store.retry.Pause;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Waits until the live version covers a consistency token: of every partition that the token names,
 * everything below its offset is applied. The token's stream is the collection's id.
 */
public final class TokenWait {
    private static final long LOOK_EVERY_MS = 250;

    private final CollectionHandle handle;
    private final Duration longest;
    private final Pause pause;

    public TokenWait(CollectionHandle handle, Duration longest) {
        this(handle, longest, Pause.real());
    }

    TokenWait(CollectionHandle handle, Duration longest, Pause pause) {
        this.handle = handle;
        this.longest = longest;
        this.pause = pause;
    }

    /**
     * The live version, once it covers the token.
     *
     * @throws TokenNotCoveredException if it does not within the longest wait, naming partitions
     * @throws IllegalArgumentException if the token is of another collection
     */
    public LiveManifest await(ConsistencyToken token) throws IOException {
        requireOwn(token);
        long waited = 0;
        while (true) {
            LiveManifest live = handle.live();
            List<String> missing = missing(token, live);
            if (missing.isEmpty()) {
                return live;
            }
            boolean hopeless = CommitMode.isDirect(live.manifest());
            if (hopeless || waited >= longest.toMillis()) {
                throw notCovered(token, live, missing, hopeless);
            }
            pause.of(LOOK_EVERY_MS);
            waited += LOOK_EVERY_MS;
        }
    }

    private void requireOwn(ConsistencyToken token) {
        long id = handle.info().id();
        for (ConsistencyToken.Item item : token.items()) {
            if (item.stream() != id) {
                throw new IllegalArgumentException(
                        "the token "
                                + token
                                + " is of stream "
                                + Long.toUnsignedString(item.stream())
                                + "; collection "
                                + handle.info().name()
                                + " has the stream "
                                + id
                                + ", its id");
            }
            if (item.partition() < 0 || item.partition() >= handle.info().partitions()) {
                throw new IllegalArgumentException(
                        "the token "
                                + token
                                + " names partition "
                                + Integer.toUnsignedString(item.partition())
                                + "; collection "
                                + handle.info().name()
                                + " has partitions 0 to "
                                + (handle.info().partitions() - 1));
            }
        }
    }

    private static List<String> missing(ConsistencyToken token, LiveManifest live) {
        Map<Integer, Long> applied = live.manifest().applied();
        List<String> missing = new ArrayList<>();
        for (ConsistencyToken.Item item : token.normalized().items()) {
            long reached = applied.getOrDefault(item.partition(), 0L);
            if (Long.compareUnsigned(reached, item.offset()) < 0) {
                missing.add(
                        "partition "
                                + item.partition()
                                + " is at "
                                + Long.toUnsignedString(reached)
                                + ", not at "
                                + Long.toUnsignedString(item.offset()));
            }
        }
        return missing;
    }

    private TokenNotCoveredException notCovered(
            ConsistencyToken token, LiveManifest live, List<String> missing, boolean hopeless) {
        return new TokenNotCoveredException(
                "version "
                        + live.version()
                        + " of collection "
                        + handle.info().name()
                        + " does not cover "
                        + token
                        + ": "
                        + (hopeless
                                ? "it is written in direct mode, in which no offsets are applied"
                                : String.join("; ", missing)
                                        + "; waited "
                                        + longest.toSeconds()
                                        + " s, see that its apply job runs and try again"));
    }
}
