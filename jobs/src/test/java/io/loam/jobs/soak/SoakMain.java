package io.loam.jobs.soak;

import io.loam.jobs.LocalApply;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The apply job in a process of its own, which prints what it holds every so many commits.
 *
 * <p>Arguments: warehouse, collection, brokers, checkpoint directory, commits, commits between two
 * samples.
 */
final class SoakMain {
    private SoakMain() {}

    public static void main(String[] args) throws Exception {
        WarehouseOptions options = WarehouseOptions.local(Path.of(args[0]));
        long commits = Long.parseLong(args[4]);
        long step = Long.parseLong(args[5]);
        JobClient job =
                new LocalApply(options, "default", args[1], args[2])
                        .parameter("checkpoint-interval", "10ms")
                        .parallelism(2)
                        .checkpointDirectory(Path.of(args[3]))
                        .start();
        long started = System.nanoTime();
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle collection = warehouse.open("default", args[1])) {
            long next = step;
            while (next <= commits) {
                if (job.getJobStatus().get() != JobStatus.RUNNING && next > step) {
                    job.getJobExecutionResult().get();
                    throw new IllegalStateException("the job has ended");
                }
                long version = collection.live().manifest().version();
                if (version >= next) {
                    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
                    System.out.println(ResourceSample.take(version, seconds).toLine());
                    next = version + step;
                }
                Thread.sleep(20);
            }
        }
        job.cancel().get();
        System.exit(0);
    }
}
