package io.loam.store.sim;

import io.loam.store.CollectionHandle;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Names versions, live ones and ones that are about to be collected, and takes names back. */
final class TaggerProcess {
    private static final int OLDEST = 30;

    private final World world;
    private int named;

    TaggerProcess(World world) {
        this.world = world;
    }

    void run() {
        while (true) {
            world.scheduler.sleep(1 + world.random.nextInt(40_000));
            try {
                act(world.open());
            } catch (IOException e) {
                world.scheduler.note("  fails: " + e.getMessage());
            }
        }
    }

    private void act(CollectionHandle handle) throws IOException {
        Tags tags = new Tags(handle);
        List<Tag> standing = tags.list();
        if (!standing.isEmpty() && world.random.nextInt(4) == 0) {
            tags.delete(standing.get(world.random.nextInt(standing.size())).name());
            return;
        }
        boolean current = world.random.nextInt(3) == 0;
        long version = world.oracle.live().version() - world.random.nextInt(OLDEST);
        Duration lifetime =
                world.random.nextInt(3) == 0
                        ? Duration.ofMinutes(1 + world.random.nextInt(3_000))
                        : null;
        Tag tag =
                tags.create(
                        "t" + named++,
                        current ? TagTarget.current() : TagTarget.version(Math.max(1, version)),
                        new TagOptions("", lifetime, false));
        world.scheduler.note("  tagged " + tag.version());
    }
}
