package io.loam.store.commit;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation;
import io.loam.codec.testing.Campaign;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.VerifyReport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Random operations, random failures, restarts; after each step the collection must verify. */
class CommitSimulationTest {
    private static final int STEPS = 60;
    private static final int KEYS = 25;
    private static final List<String> POINTS =
            List.of(
                    "/_versions/d",
                    "/_deletions/",
                    "/deletes/",
                    "/pkdelta/",
                    "/deadletters/",
                    "/manifests/",
                    "swapPointer",
                    "Lease");

    @TempDir Path dir;

    @Test
    void commitsSurviveRandomFailures() throws IOException {
        long seed = Campaign.seed();
        System.out.println("replay with -Dloam.seed=" + seed);
        Random random = new Random(seed);
        try (TestCollection collection = new TestCollection(dir, 3)) {
            TestWriter writer = collection.writer();
            LinkApplyCommitter committer = committer(collection);
            for (int step = 0; step < STEPS; step++) {
                write(collection, random);
                CollectionCommittable next = writer.checkpoint(1 + random.nextInt(3));
                if (random.nextInt(3) == 0) {
                    collection.faults.once(
                            POINTS.get(random.nextInt(POINTS.size())),
                            random.nextBoolean() ? Fault.BEFORE : Fault.AFTER);
                }
                boolean published = tryCommit(committer, next);
                collection.faults.heal();
                if (!published) {
                    committer = committer(collection);
                    if (random.nextBoolean()) {
                        assertThat(committer.commit(next, true))
                                .isInstanceOfAny(
                                        CommitOutcome.Committed.class,
                                        CommitOutcome.AlreadyCommitted.class);
                    } else {
                        writer = collection.writer();
                    }
                }
                VerifyReport report = collection.verify();
                assertThat(report.violations()).as("seed %d, step %d", seed, step).isEmpty();
            }
            assertThat(collection.verify().keys()).isPositive();
        }
    }

    private static LinkApplyCommitter committer(TestCollection collection) throws IOException {
        return new LinkApplyCommitter(
                collection.open(), CommitterOptions.of("owner").withTakeOver(true), ms -> {});
    }

    private static boolean tryCommit(LinkApplyCommitter committer, CollectionCommittable next)
            throws IOException {
        try {
            committer.commit(next, false);
            return true;
        } catch (CommitRefusedException e) {
            throw e;
        } catch (IOException injected) {
            return false;
        }
    }

    private static void write(TestCollection collection, Random random) {
        for (int i = random.nextInt(12); i >= 0; i--) {
            long key = random.nextInt(KEYS);
            switch (random.nextInt(8)) {
                case 0:
                case 1:
                    collection.delete(key);
                    break;
                case 2:
                    collection.log.add(random.nextInt(3), new byte[] {7}, new byte[] {1});
                    break;
                case 3:
                    collection.upsert(key, "{\"n\":\"not a number\"}");
                    break;
                case 4:
                    collection.log.add(patch(key, random.nextInt(100)));
                    break;
                default:
                    collection.upsert(key, "{\"n\":" + random.nextInt(100) + "}");
            }
        }
    }

    private static Operation patch(long key, int m) {
        return new Operation.Patch(
                PrimaryKey.ofU64(key),
                Operation.PatchMode.MERGE_DEEP,
                Json.parseObject(("{\"m\":" + m + "}").getBytes(StandardCharsets.UTF_8)),
                List.of(),
                Map.of(),
                Map.of(),
                null);
    }
}
