package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;
import io.loam.s3.S3Options;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.s3.testing.WireFault;

import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pipeline while requests to the object store fail at random, before and after their effect.
 */
class S3FaultsPipelineITCase extends S3TestBase {
    private static final WireFault[] ANY = {
        WireFault.ERROR_BEFORE,
        WireFault.ERROR_AFTER,
        WireFault.DROP_BEFORE,
        WireFault.DROP_AFTER,
        WireFault.CUT,
        WireFault.SLOW,
        WireFault.SILENT_BEFORE,
        WireFault.SILENT_AFTER
    };

    @Override
    S3Server server() throws IOException {
        return S3Servers.s3Proxy();
    }

    @Override
    String serverName() {
        return "S3Proxy";
    }

    @Test
    void requestsThatFailAtRandomLoseNothing() throws Exception {
        long seed = Long.getLong("loam.seed", 20_261_130L);
        System.out.println("faults: -Dloam.seed=" + seed);
        Faults faults = new Faults(seed);
        StreamJob job =
                new StreamJob(onTheWire(Map.of(S3Options.TIMEOUT_SECONDS, "2")), directory)
                        .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1_000)
                        .set(
                                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY,
                                Duration.ofMillis(100));
        JobClient running = start(job);
        wire.disturb(faults::next);
        apply(workload.upserts(Campaign.size(100, 400)));
        for (int wave = 0; wave < Campaign.size(2, 15); wave++) {
            apply(workload.changes(100));
        }
        wire.disturb((method, target) -> WireFault.NONE);
        apply(workload.changes(10));
        stop(running, false);
        assertThat(faults.counts()).isNotEmpty();
        reportS3(
                "pipeline while one request in "
                        + Faults.ONE_IN
                        + " fails: "
                        + faults.requests()
                        + " requests; "
                        + faults.counts(),
                same(verify()));
    }

    /** Draws a fault for one request in some. */
    private static final class Faults {
        static final int ONE_IN = 10;

        private final Random random;
        private final Map<WireFault, Integer> counts = new EnumMap<>(WireFault.class);
        private int requests;

        Faults(long seed) {
            random = new Random(seed);
        }

        synchronized WireFault next(String method, String target) {
            requests++;
            if (random.nextInt(ONE_IN) != 0) {
                return WireFault.NONE;
            }
            WireFault fault = ANY[random.nextInt(ANY.length)];
            boolean silent = fault == WireFault.SILENT_BEFORE || fault == WireFault.SILENT_AFTER;
            if (silent && target.contains("/lance/") && !target.contains("/data/")) {
                // Lance waits half a minute for these, which would only be slow.
                fault = WireFault.DROP_AFTER;
            }
            counts.merge(fault, 1, Integer::sum);
            return fault;
        }

        synchronized int requests() {
            return requests;
        }

        synchronized String counts() {
            return counts.entrySet().stream()
                    .map(
                            e ->
                                    e.getValue()
                                            + " "
                                            + e.getKey()
                                                    .name()
                                                    .toLowerCase(java.util.Locale.ROOT)
                                                    .replace('_', ' '))
                    .collect(Collectors.joining(", "));
        }
    }
}
