package io.loam.store.testing;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.testing.Campaign;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.Tag;
import io.loam.store.metastore.TagRequest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** The same random commands, with the same answers and refusals as the real one's. */
class InMemoryMetastoreTest {
    private static final int COMMANDS = 1500;
    private static final long LONG_TTL_MS = 3_000_000;

    @TempDir Path dir;

    private interface Command {
        Object run(Metastore store) throws MetastoreException;
    }

    @Test
    void answersAsTheRealOne() throws MetastoreException {
        long seed = Campaign.seed();
        System.out.println("replay with -Dloam.seed=" + seed);
        Random random = new Random(seed);
        Metastore memory = new InMemoryMetastore(System::currentTimeMillis);
        try (Metastore real =
                JdbcMetastore.open("jdbc:sqlite:" + dir.resolve("m.db"), null, null)) {
            for (int i = 0; i < COMMANDS; i++) {
                Command command = command(random);
                assertThat(answer(command, memory))
                        .as("seed %d, command %d", seed, i)
                        .isEqualTo(answer(command, real));
            }
        }
    }

    private static Object answer(Command command, Metastore store) {
        try {
            return timeless(command.run(store));
        } catch (MetastoreException e) {
            return e.code() + " " + e.current();
        }
    }

    /** Times differ by what a command takes. */
    private static Object timeless(Object answer) {
        if (answer instanceof Lease lease) {
            return lease.key() + lease.owner() + lease.epoch();
        }
        if (answer instanceof CollectionInfo info) {
            return info.id() + info.name() + info.topic() + info.schema();
        }
        return answer;
    }

    private static Command command(Random random) {
        String key = "l" + random.nextInt(2);
        String owner = "o" + random.nextInt(2);
        long id = 1 + random.nextInt(3);
        long epoch = random.nextInt(40);
        switch (random.nextInt(22)) {
            case 0:
                return store -> store.acquireLease(key, owner, LONG_TTL_MS);
            case 1:
                return store -> store.takeOverLease(key, owner, LONG_TTL_MS);
            case 2:
                return store -> store.renewLease(key, owner, epoch, LONG_TTL_MS);
            case 3:
                return store -> store.reacquireLease(key, owner, epoch, LONG_TTL_MS);
            case 4:
                return store -> {
                    store.releaseLease(key, owner, epoch);
                    return store.lease(key).map(InMemoryMetastoreTest::timeless);
                };
            case 5:
                Ulid incarnation = new Ulid(1, random.nextInt(3));
                long arena = random.nextInt(4);
                long floor = (long) random.nextInt(5) << 31;
                return store -> store.rowIdBase(id, incarnation, arena, floor);
            case 6:
                String name = "c" + random.nextInt(3);
                int partitions = 1 + random.nextInt(2);
                return store ->
                        store.createCollection("default", name, schema(1), partitions, null);
            case 7:
                return random.nextInt(6) > 0
                        ? store -> store.collection(id)
                        : store -> {
                            store.dropCollection(id);
                            store.forgetRetiredPath("ns/1/pk/collection-" + id + "/");
                            return store.retiredPaths().stream().map(p -> p.path()).toList();
                        };
            case 8:
                long expected = 1 + random.nextInt(3);
                return store -> store.updateSchema(id, expected, schema(expected + 1));
            case 9:
                return store -> store.head(id).pointer();
            case 10:
                return store -> store.pointer(1, "collection/" + id);
            case 11:
                String topic = "t" + random.nextInt(3);
                boolean replace = random.nextInt(3) == 0;
                return store -> store.bindTopic(id, topic, replace);
            case 12:
                long below = random.nextInt(5);
                return store -> names(store.releaseVersions(id, below));
            case 13:
                String gone = "t" + random.nextInt(3);
                return store -> {
                    store.deleteTag(id, gone);
                    return names(store.tags(id));
                };
            case 14:
                return store -> names(store.expireTags(id));
            case 15:
                String tag = "t" + random.nextInt(3);
                long back = random.nextInt(3);
                boolean protect = random.nextInt(4) == 0;
                return store -> {
                    Pointer live = store.pointer(1, "collection/" + id).orElse(new Pointer(1, "v"));
                    long tagged = Math.max(1, live.version() - back);
                    String path = tagged == live.version() ? live.value() : "older";
                    store.createTag(new TagRequest(id, tag, tagged, path, "", null, protect));
                    return names(store.tags(id));
                };
            case 16:
                String renamed = "c" + random.nextInt(3);
                Long replaced = random.nextInt(3) == 0 ? 1L + random.nextInt(3) : null;
                return random.nextInt(3) > 0
                        ? store -> store.findCollection("default", renamed).isPresent()
                        : store -> timeless(store.renameCollection(id, renamed, replaced));
            case 17:
                return namespaces(random);
            default:
                long version = random.nextInt(4);
                long maxAge = random.nextInt(5) > 0 ? 1_000_000 : 0;
                return store -> {
                    long held = store.lease(key).map(Lease::epoch).orElse(0L);
                    return store.swapPointer(
                            new PointerSwap(
                                    1,
                                    "collection/" + id,
                                    store.pointer(1, "collection/" + id)
                                                    .map(p -> p.version())
                                                    .orElse(0L)
                                            + version / 3,
                                    "v" + epoch,
                                    key,
                                    held - version / 3,
                                    maxAge == 0 ? 1 : store.clockMs(),
                                    maxAge));
                };
        }
    }

    private static Command namespaces(Random random) {
        String namespace = "n" + random.nextInt(2);
        boolean cascade = random.nextBoolean();
        return switch (random.nextInt(4)) {
            case 0 ->
                    store -> {
                        store.dropNamespace(namespace, cascade);
                        return store.namespaces();
                    };
            case 1 -> store -> store.createCollection(namespace, "c", schema(1), 1, null);
            default -> store -> store.createNamespace(namespace);
        };
    }

    private static List<String> names(List<Tag> tags) {
        return tags.stream().map(tag -> tag.name() + tag.version() + tag.protect()).toList();
    }

    private static CollectionSchema schema(long version) {
        return new CollectionSchema(
                version,
                List.of(),
                List.of(),
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }
}
