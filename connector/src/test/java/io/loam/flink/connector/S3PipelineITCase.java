package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;
import io.loam.flink.connector.testing.KeyIndexes;
import io.loam.s3.S3ObjectStoreProvider;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.s3.testing.WireRequest;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.object.ObjectExistsException;
import io.loam.store.object.ObjectStore;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;

import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A collection whose objects are in S3: applied, failed, restarted, searched, verified. */
class S3PipelineITCase extends S3TestBase {
    private static final SearchQuery ANY = new SearchQuery.Match("title", null, "the", false);
    private static final int RACERS = 16;

    /** What a request takes while round trips are told apart; longer than what goes on around. */
    private static final int ROUND_TRIP_MS = 250;

    /** By this what goes on around takes no longer even on a machine that is all too busy. */
    private static final int LONGEST_ROUND_TRIP_MS = 8_000;

    @Override
    S3Server server() throws IOException {
        return S3Servers.s3Proxy();
    }

    @Override
    String serverName() {
        return "S3Proxy";
    }

    @Test
    void aFailureAndRestartsLoseNothing() throws Exception {
        int size = Campaign.size(1, 10);
        FailOnce.arm();
        JobClient first = start(job());
        apply(workload.upserts(200 * size));
        FailOnce.awaitDue();
        apply(workload.changes(200 * size)); // the failure comes with one of these
        String savepoint = stop(first, false);
        assertThat(FailOnce.failures()).isEqualTo(1);
        verify();
        assertThat(KeyIndexes.staged(savepoint, collection.id())).isEqualTo(liveIndex());

        JobClient second = start(job().from(savepoint));
        apply(workload.changes(100 * size));
        cancel(second);

        JobClient third = start(job());
        apply(workload.changes(100 * size));
        stop(third, false);
        long keys = verify().keys();
        try (CollectionReader reader = CollectionReader.open(handle())) {
            assertThat(reader.count()).isEqualTo(keys);
            assertThat(reader.count(ANY)).isPositive();
        }
        reportS3(
                "pipeline: a failure, a restart from a savepoint, one without state",
                same(verify()));
    }

    @Test
    void coldOpensAndCommitsAreFewRequests() throws Exception {
        JobClient job = start(job().parallelism(1, 1));
        apply(workload.upserts(40));
        coldRows("rows", 5);

        long before = live().version();
        wire.forget();
        apply(workload.changes(60));
        List<WireRequest> commit = wire.requests();
        long commits = live().version() - before;
        stop(job, false);
        reportS3(
                "requests of " + commits + " commit(s) of 60 changes, staging included",
                kinds(commit));
        assertThat(commit)
                .filteredOn(r -> r.method().equals("PUT") && r.target().contains("/manifests/"))
                .hasSize((int) commits);

        coldText();
        coldRows("rows, some deleted", 6);
    }

    private void coldText() throws Exception {
        coldOpen("text search", 3, reader -> assertThat(reader.count(ANY)).isPositive());
    }

    private void coldRows(String what, int most) throws Exception {
        coldOpen(
                what,
                most,
                reader -> {
                    try (RowCursor rows = reader.rows().scan(Projection.ALL, 0, 1)) {
                        assertThat(rows.next()).isNotNull();
                    }
                });
    }

    /** What is asked of a collection that was just opened. */
    private interface Question {
        void ask(CollectionReader reader) throws IOException;
    }

    /**
     * Counts the round trips of a first question. Requests that wait for none may be sent one after
     * the other by a busy machine, which is told by letting them take longer.
     */
    private void coldOpen(String what, int most, Question question) throws Exception {
        List<WireRequest> requests = coldRequests(ROUND_TRIP_MS, question);
        for (int ms = 2 * ROUND_TRIP_MS;
                trips(requests) > most && ms <= LONGEST_ROUND_TRIP_MS;
                ms *= 2) {
            requests = coldRequests(ms, question);
        }
        reportS3(
                "cold open: " + what,
                trips(requests) + " round trips: 1 of the metastore, then " + kinds(requests));
        assertThat(trips(requests)).as("%s", requests).isLessThanOrEqualTo(most);
    }

    /** The pointer, the first round trip, is read from the metastore. */
    private static int trips(List<WireRequest> requests) {
        return 1 + WireRequest.roundTrips(requests);
    }

    private List<WireRequest> coldRequests(int tripMs, Question question) throws Exception {
        wire.forget();
        wire.delay(tripMs);
        try (Warehouse cold = Warehouse.open(onTheWire(Map.of()));
                CollectionHandle handle = cold.open(collection.id());
                CollectionReader reader = CollectionReader.openAsOfHandle(handle)) {
            question.ask(reader);
            return wire.requests();
        } finally {
            wire.delay(0);
        }
    }

    /** How many requests of which kind: method and folder. */
    private static String kinds(List<WireRequest> requests) {
        Map<String, Integer> kinds = new TreeMap<>();
        for (WireRequest request : requests) {
            String path = request.target().replaceAll("\\?.*", "");
            String folder = path.replaceAll(".*/collections/\\d+/", "").replaceAll("/[^/]*$", "");
            if (request.target().contains("list-type")) {
                folder = "a list";
            }
            folder = folder.replaceAll("text/deletes/.*", "text/deletes");
            kinds.merge(request.method() + " " + folder, 1, Integer::sum);
        }
        List<String> words = new ArrayList<>();
        kinds.forEach((kind, count) -> words.add(count + " " + kind));
        return requests.size() + " (" + String.join(", ", words) + ")";
    }

    @Test
    void oneOfManyRacersCreatesAnObject() throws Exception {
        int rounds = Campaign.size(20, 200);
        ExecutorService pool = Executors.newFixedThreadPool(RACERS);
        int won = 0;
        try (ObjectStore store =
                new S3ObjectStoreProvider()
                        .open(warehouse.warehouse() + "/race", warehouse.properties())) {
            CyclicBarrier start = new CyclicBarrier(RACERS);
            List<Future<Integer>> racers = new ArrayList<>();
            for (int racer = 0; racer < RACERS; racer++) {
                String name = "racer " + racer;
                racers.add(pool.submit(() -> race(store, start, rounds, name)));
            }
            for (Future<Integer> racer : racers) {
                won += racer.get(20, TimeUnit.MINUTES);
            }
            assertThat(store.list("")).hasSize(rounds);
        } finally {
            pool.shutdownNow();
        }
        assertThat(won).isEqualTo(rounds);
        reportS3(
                RACERS + " threads put other bytes under one key, create-only",
                rounds + " rounds, " + won + " winners, never two");
    }

    private static int race(ObjectStore store, CyclicBarrier start, int rounds, String name)
            throws Exception {
        int won = 0;
        for (int round = 0; round < rounds; round++) {
            start.await(10, TimeUnit.MINUTES);
            String path = "key/" + round;
            byte[] mine = name.getBytes(StandardCharsets.UTF_8);
            boolean created = true;
            try {
                store.put(path, mine);
                won++;
            } catch (ObjectExistsException e) {
                created = false;
            }
            String there = new String(store.get(path), StandardCharsets.UTF_8);
            assertThat(there.equals(name)).as(there).isEqualTo(created);
        }
        return won;
    }
}
