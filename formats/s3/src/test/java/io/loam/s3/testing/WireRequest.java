package io.loam.s3.testing;

import java.util.Comparator;
import java.util.List;

/**
 * A request that passed.
 *
 * @param target path and query
 * @param range the header, empty if there was none
 * @param status of the answer; 0 if the client got none
 */
public record WireRequest(
        String method,
        String target,
        String range,
        long bytes,
        int status,
        long startNanos,
        long endNanos) {

    /** How many of the requests waited for one another at least, one after the other. */
    public static int roundTrips(List<WireRequest> requests) {
        int trips = 0;
        long busyUntil = Long.MIN_VALUE;
        for (WireRequest request :
                requests.stream()
                        .sorted(Comparator.comparingLong(WireRequest::endNanos))
                        .toList()) {
            if (request.startNanos() >= busyUntil) {
                trips++;
                busyUntil = request.endNanos();
            }
        }
        return trips;
    }

    /** Such as {@code GET /bucket/a/b bytes=0-9}. */
    @Override
    public String toString() {
        return (method + " " + target + " " + range).strip() + " -> " + status;
    }
}
