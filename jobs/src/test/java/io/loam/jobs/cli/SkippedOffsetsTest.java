package io.loam.jobs.cli;

import io.loam.codec.Ulid;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.commit.OffsetRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static io.loam.jobs.cli.LoamRun.number;
import static org.assertj.core.api.Assertions.assertThat;

/** Records that a log lost before they were applied are seen by whoever looks at the collection. */
class SkippedOffsetsTest {
    @TempDir Path directory;

    private LoamRun loam(String... arguments) {
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--warehouse";
        all[arguments.length + 1] = directory.toString();
        return LoamRun.of(all);
    }

    @Test
    void describeShowsHowManyOffsetsWereSkipped() throws IOException {
        loam("create", "docs", "--text", "title").ok();
        publish(new OffsetRange(0, 10, 7));
        assertThat(loam("describe", "docs").ok().out())
                .containsPattern("skipped offsets +7")
                .containsPattern("applied +\\{0=10\\}");
        assertThat(
                        number(
                                loam("describe", "docs", "--json").json().get(0),
                                "skipped_offsets_total"))
                .isEqualTo(7);
    }

    private void publish(OffsetRange range) throws IOException {
        try (Warehouse warehouse = Warehouse.open(WarehouseOptions.local(directory));
                CollectionHandle collection = warehouse.open("default", "docs");
                LinkApplyCommitter committer =
                        new LinkApplyCommitter(collection, CommitterOptions.of("test"))) {
            committer.commit(
                    new CollectionCommittable(
                            UUID.randomUUID().toString(),
                            "",
                            new Ulid(1, 1),
                            1,
                            CommitMode.STREAM,
                            "writer",
                            "job",
                            3,
                            List.of(),
                            Map.of(0, range)),
                    false);
        }
    }
}
