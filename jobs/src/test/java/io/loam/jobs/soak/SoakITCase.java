package io.loam.jobs.soak;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.testing.Campaign;
import io.loam.jobs.ChildCommand;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.jobs.cli.LoamRun;
import io.loam.jobs.cli.OperationProducer;
import io.loam.jobs.cli.Topic;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many small commits of one job in a process of its own: after the first half, what the process
 * holds on to stays where it is.
 */
class SoakITCase {
    private static final int COMMITS = Campaign.size(80, 2_000);
    private static final int STEP = COMMITS / 20;
    private static final int KEYS = 500;
    private static final int OPERATIONS_A_SEND = 5;
    private static final long MINUTES = Campaign.size(15, 60);

    /** Of a level to the one before, where a level is the median of a quarter of the run. */
    private static final double MAX_GROWTH = 1.15;

    private final Random random = new Random(Campaign.seed());

    @TempDir Path folder;

    @Test
    void whatAJobHoldsLevelsOff() throws Exception {
        Path warehouse = folder.resolve("warehouse");
        LoamRun.of(
                        "create",
                        "docs",
                        "--warehouse",
                        warehouse.toString(),
                        "--text",
                        "title",
                        "--field",
                        "n:i64",
                        "--vector",
                        "v:4",
                        "--partitions",
                        "2")
                .ok();
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            List<ResourceSample> samples = soak(warehouse, broker.bootstrapServers());
            LoamRun verified =
                    LoamRun.of(
                                    "verify",
                                    "docs",
                                    "--warehouse",
                                    warehouse.toString(),
                                    "--brokers",
                                    broker.bootstrapServers())
                            .ok();
            Campaign.report("soak", report(samples, verified.out().strip()));
            assertThat(verified.out()).contains("0 violations");
            check(samples);
        }
    }

    private List<ResourceSample> soak(Path warehouse, String brokers) throws Exception {
        try (Warehouse opened = Warehouse.open(WarehouseOptions.local(warehouse));
                CollectionHandle collection = opened.open("default", "docs")) {
            try (Topic topic = new Topic(brokers, collection.info())) {
                topic.ensure();
            }
            Path output = folder.resolve("soak.out");
            Process job = start(warehouse, brokers, output);
            try (OperationProducer producer = new OperationProducer(brokers, collection.info())) {
                produceUntilEnd(job, producer, output);
            } finally {
                job.destroyForcibly();
            }
            String printed = Files.readString(output);
            assertThat(job.exitValue()).as(printed).isZero();
            return printed.lines()
                    .filter(line -> line.matches("\\d+( \\d+){8}"))
                    .map(ResourceSample::parse)
                    .toList();
        }
    }

    private void produceUntilEnd(Process job, OperationProducer producer, Path output)
            throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        while (!job.waitFor(10, TimeUnit.MILLISECONDS)) {
            assertThat(System.nanoTime()).as(Files.readString(output)).isLessThan(deadline);
            for (int i = 0; i < OPERATIONS_A_SEND; i++) {
                producer.send(operation());
            }
            producer.flush();
        }
    }

    private Operation operation() {
        PrimaryKey key = PrimaryKey.ofString("k" + random.nextInt(KEYS));
        int kind = random.nextInt(10);
        if (kind == 0) {
            return new Operation.Delete(key);
        }
        JsonObject body =
                Json.parseObject(
                        ("{\"title\":\"a title\",\"n\":" + random.nextInt(100) + "}")
                                .getBytes(StandardCharsets.UTF_8));
        Document document =
                new Document(key, body, Map.of("v", new float[] {1, 2, 3, kind}), Map.of());
        return kind < 6
                ? new Operation.Upsert(document)
                : new Operation.Patch(
                        key, PatchMode.MERGE_DEEP, body, List.of(), Map.of(), Map.of(), null);
    }

    private Process start(Path warehouse, String brokers, Path output) throws IOException {
        List<String> options =
                List.of(
                        "-Xmx512m",
                        "-XX:MaxDirectMemorySize=256m",
                        "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")));
        List<String> arguments =
                List.of(
                        warehouse.toString(),
                        "docs",
                        brokers,
                        folder.resolve("checkpoints").toString(),
                        Integer.toString(COMMITS),
                        Integer.toString(STEP));
        return new ProcessBuilder(ChildCommand.of(options, SoakMain.class, arguments))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** The third quarter of the run against the last one. */
    private static void check(List<ResourceSample> samples) {
        assertThat(samples).hasSizeGreaterThanOrEqualTo(12);
        assertLevel(samples, "heap", ResourceSample::heap, 16L << 20);
        assertLevel(samples, "direct memory", ResourceSample::direct, 8L << 20);
        assertLevel(samples, "resident memory", ResourceSample::resident, 32L << 20);
        assertLevel(samples, "file handles", ResourceSample::files, 16);
        assertLevel(samples, "handles of deleted files", ResourceSample::deleted, 8);
        // A unit is made of some dozen files, and three may be under way when they are counted.
        assertLevel(samples, "temporary files", ResourceSample::temporary, 48);
        // Pools of 16 threads fill up as there is work for them; a short run may see two do so.
        assertLevel(samples, "threads", ResourceSample::threads, Campaign.size(40, 8));
    }

    private static void assertLevel(
            List<ResourceSample> samples,
            String name,
            ToLongFunction<ResourceSample> value,
            long slack) {
        long before = level(samples, value, 2);
        long after = level(samples, value, 3);
        assertThat(after)
                .as("%s in the last quarter, %d in the one before", name, before)
                .isLessThanOrEqualTo((long) (before * MAX_GROWTH) + slack);
    }

    private static long level(
            List<ResourceSample> samples, ToLongFunction<ResourceSample> value, int quarter) {
        int from = samples.size() * quarter / 4;
        int to = samples.size() * (quarter + 1) / 4;
        long[] sorted = samples.subList(from, to).stream().mapToLong(value).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static String report(List<ResourceSample> samples, String verified) {
        StringBuilder text = new StringBuilder();
        text.append(
                "| commits | seconds | heap MB | direct MB | resident MB | file handles | of deleted files |"
                        + " temporary files | threads |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (ResourceSample sample : samples) {
            text.append(
                    "| %d | %d | %d | %d | %d | %d | %d | %d | %d |%n"
                            .formatted(
                                    sample.commits(),
                                    sample.seconds(),
                                    sample.heap() >> 20,
                                    sample.direct() >> 20,
                                    sample.resident() >> 20,
                                    sample.files(),
                                    sample.deleted(),
                                    sample.temporary(),
                                    sample.threads()));
        }
        return text.append("\n`loam verify` at the end: ")
                .append(verified.lines().reduce((before, last) -> last).orElse(""))
                .append(".\n")
                .toString();
    }
}
