package io.loam.flink.connector;

import io.loam.store.commit.CommitMode;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

import java.time.Duration;
import java.util.List;

/** Options of {@link CollectionSink}. */
@PublicEvolving
public final class CollectionSinkOptions {
    public static final ConfigOption<String> WRITER_ID =
            ConfigOptions.key("loam.sink.writer-id")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Who writes, as the lease and the history name it. Default: the job's"
                                    + " name and the collection's.");

    public static final ConfigOption<CommitMode> MODE =
            ConfigOptions.key("loam.sink.mode")
                    .enumType(CommitMode.class)
                    .defaultValue(CommitMode.STREAM)
                    .withDescription(
                            "Where operations come from: STREAM (the collection's implicit stream)"
                                    + " or DIRECT (a changelog without offsets). A collection's"
                                    + " first commit fixes it for good.");

    public static final ConfigOption<Boolean> TAKE_OVER =
            ConfigOptions.key("loam.sink.take-over")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Take the apply lease whoever holds it, instead of waiting for it to"
                                    + " run out and failing if its holder is alive.");

    public static final ConfigOption<OnError> ON_ERROR =
            ConfigOptions.key("loam.sink.on-error")
                    .enumType(OnError.class)
                    .defaultValue(OnError.DEAD_LETTER)
                    .withDescription(
                            "What becomes of a record that cannot be applied: dead-letter keeps it"
                                    + " with the reason and goes on, fail ends the attempt before"
                                    + " anything of its checkpoint is published.");

    public static final ConfigOption<Duration> LEASE_TTL =
            ConfigOptions.key("loam.sink.lease-ttl")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How long the apply lease stands when nobody extends it; it is"
                                    + " extended three times as often.");

    public static final ConfigOption<MemorySize> BATCH_BYTES =
            ConfigOptions.key("loam.sink.batch.max-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(16))
                    .withDescription(
                            "Bytes of keys and values at which a batch of operations is folded."
                                    + " Each subtask holds one batch that fills and the queued"
                                    + " ones.");

    public static final ConfigOption<Integer> BATCH_RECORDS =
            ConfigOptions.key("loam.sink.batch.max-records")
                    .intType()
                    .defaultValue(25_000)
                    .withDescription("Operations at which a batch is folded.");

    public static final ConfigOption<Integer> QUEUED_BATCHES =
            ConfigOptions.key("loam.sink.batch.queued")
                    .intType()
                    .defaultValue(2)
                    .withDescription(
                            "Folded batches that may wait for the thread that builds units; when"
                                    + " they are that many, ingestion waits.");

    public static final ConfigOption<MemorySize> UNIT_BYTES =
            ConfigOptions.key("loam.sink.unit.max-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Bytes of source JSON at which a unit (one data file, one split) is"
                                    + " closed and uploaded before the checkpoint.");

    public static final ConfigOption<Integer> UNIT_ROWS =
            ConfigOptions.key("loam.sink.unit.max-rows")
                    .intType()
                    .defaultValue(100_000)
                    .withDescription(
                            "Rows at which a unit is closed and uploaded before the checkpoint.");

    public static final ConfigOption<String> STAGING_DIRECTORY =
            ConfigOptions.key("loam.sink.staging-directory")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Local directory units are built in. Default: the task manager's"
                                    + " temporary directory.");

    public static final ConfigOption<Duration> MAX_COMMIT_DELAY =
            ConfigOptions.key("loam.sink.max-commit-delay")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "A commit that took longer than this is not published; must stay"
                                    + " below the garbage collector's grace.");

    public static final ConfigOption<Duration> STAGING_RETENTION =
            ConfigOptions.key("loam.sink.staging-retention")
                    .durationType()
                    .defaultValue(Duration.ofDays(7))
                    .withDescription(
                            "How long the garbage collector keeps staged units that no manifest"
                                    + " names; older committables are refused.");

    public static final ConfigOption<Duration> GC_GRACE =
            ConfigOptions.key("loam.sink.gc-grace")
                    .durationType()
                    .defaultValue(Duration.ofHours(1))
                    .withDescription(
                            "Age below which the garbage collector deletes nothing; as the"
                                    + " collector is set.");

    private CollectionSinkOptions() {}

    /** Every option, in the order of the reference page. */
    public static List<ConfigOption<?>> all() {
        return List.of(
                WRITER_ID,
                MODE,
                TAKE_OVER,
                ON_ERROR,
                LEASE_TTL,
                BATCH_BYTES,
                BATCH_RECORDS,
                QUEUED_BATCHES,
                UNIT_BYTES,
                UNIT_ROWS,
                STAGING_DIRECTORY,
                MAX_COMMIT_DELAY,
                STAGING_RETENTION,
                GC_GRACE);
    }
}
