package io.loam.jobs.corrupt;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.repair.RepairState;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A small collection that has an object of every kind: three versions are published, a fourth is
 * staged by a writer that died, and the log has records beyond that.
 */
final class SampleCollection {
    static final int KEYS = 60;
    private static final int PARTITIONS = 2;

    private final WarehouseOptions options;
    private final Path work;
    private final List<List<Operation>> waves;
    private final Map<PrimaryKey, Long> firstIndex;
    private long id;
    private CollectionCommittable pending;
    private RepairState firstState;

    private SampleCollection(Path folder, Random random) throws IOException {
        this.options = WarehouseOptions.local(folder.resolve("pristine"));
        this.work = Files.createDirectories(folder.resolve("work"));
        this.waves = waves(random);
        this.firstIndex = new HashMap<>();
    }

    static SampleCollection make(Path folder, Random random) throws IOException {
        SampleCollection made = new SampleCollection(folder, random);
        made.write();
        return made;
    }

    private static List<List<Operation>> waves(Random random) {
        List<List<Operation>> waves = new ArrayList<>();
        List<Operation> all = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            all.add(upsert(key, random));
        }
        waves.add(all);
        for (int wave = 1; wave < 5; wave++) {
            List<Operation> changes = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                int key = random.nextInt(KEYS + 20);
                changes.add(
                        switch (random.nextInt(4)) {
                            case 0 -> new Operation.Delete(key(key));
                            case 1 -> patch(key, random);
                            default -> upsert(key, random);
                        });
            }
            waves.add(changes);
        }
        return waves;
    }

    static PrimaryKey key(int number) {
        return PrimaryKey.ofString("k" + number);
    }

    private static Operation upsert(int key, Random random) {
        float[] vector = {random.nextFloat(), random.nextFloat(), 1, random.nextFloat()};
        return new Operation.Upsert(
                new Document(
                        key(key),
                        Json.parseObject(
                                ("{\"title\":\"the " + key + "\",\"n\":" + random.nextInt(99) + "}")
                                        .getBytes(StandardCharsets.UTF_8)),
                        random.nextInt(4) == 0 ? Map.of() : Map.of("v", vector),
                        Map.of()));
    }

    private static Operation patch(int key, Random random) {
        return new Operation.Patch(
                key(key),
                PatchMode.MERGE_DEEP,
                Json.parseObject(
                        ("{\"n\":" + random.nextInt(99) + "}").getBytes(StandardCharsets.UTF_8)),
                List.of(),
                random.nextBoolean() ? Map.of() : Map.of("v", Optional.empty()),
                Map.of(),
                null);
    }

    private void write() throws IOException {
        try (Warehouse warehouse = Warehouse.openOrCreate(options)) {
            CollectionInfo info =
                    warehouse
                            .metastore()
                            .createCollection(
                                    "default", "docs", SampleSchema.get(), PARTITIONS, null);
            id = info.id();
            TestLog log = new TestLog(PARTITIONS);
            try (CollectionHandle handle = warehouse.open(id);
                    LinkApplyCommitter committer = committer(handle)) {
                TestWriter writer = TestWriter.start(handle, log, work);
                for (int wave = 0; wave < 3; wave++) {
                    append(log, wave);
                    committer.commit(writer.checkpoint(wave == 0 ? 2 : 1), false);
                    if (wave == 0) {
                        firstIndex.putAll(writer.index());
                        firstState = new RepairState(writer.incarnation(), 1, 1, "");
                    }
                }
                append(log, 3);
                pending = writer.checkpoint(1);
            }
        }
    }

    static LinkApplyCommitter committer(CollectionHandle handle) {
        return new LinkApplyCommitter(handle, CommitterOptions.of("writer"));
    }

    /** A wave and two records that nobody can decode. */
    private void append(TestLog log, int wave) {
        waves.get(wave).forEach(log::add);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            log.add(partition, key(wave).canonical(), new byte[] {(byte) wave, 1, 2});
        }
    }

    /** The whole log. */
    TestLog log() {
        TestLog log = new TestLog(PARTITIONS);
        for (int wave = 0; wave < waves.size(); wave++) {
            append(log, wave);
        }
        return log;
    }

    long id() {
        return id;
    }

    /** What the writer that died had staged. */
    CollectionCommittable pending() {
        return pending;
    }

    /** A key index as it was after the first version, and what it knows of itself. */
    Map<PrimaryKey, Long> firstIndex() {
        return firstIndex;
    }

    RepairState firstState() {
        return firstState;
    }

    /** Paths of all objects, in order. */
    List<String> objects() throws IOException {
        try (Stream<Path> files = Files.walk(options.directory())) {
            return files.filter(Files::isRegularFile)
                    .map(file -> options.directory().relativize(file).toString())
                    .filter(name -> !name.startsWith(WarehouseOptions.METASTORE_FILE))
                    .sorted()
                    .toList();
        }
    }

    byte[] bytes(String object) throws IOException {
        return Files.readAllBytes(options.directory().resolve(object));
    }

    /** A copy of the warehouse in a folder that does not exist. */
    WarehouseOptions copy(Path to) throws IOException {
        try (Stream<Path> files = Files.walk(options.directory())) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(options.directory().relativize(file).toString()));
            }
        }
        return WarehouseOptions.local(to);
    }
}
