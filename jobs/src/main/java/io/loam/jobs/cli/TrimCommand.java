package io.loam.jobs.cli;

import io.loam.flink.connector.maintenance.KafkaStreamLog;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.Retention;
import io.loam.store.trim.StreamTrimmer;
import io.loam.store.trim.TrimPlan;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.Instant;

/** Gives up what nobody reads any more of a collection's stream. */
@Command(
        name = "trim",
        description = "Delete the records of the stream that every retained version has applied.",
        mixinStandardHelpOptions = true)
final class TrimCommand extends CollectionCommand {
    @Mixin BrokerArguments brokers;

    @Option(names = "--dry-run", description = "Delete nothing; show what would go.")
    boolean dryRun;

    @Option(
            names = "--keep-manifests",
            paramLabel = "<n>",
            defaultValue = "10",
            description = "So many superseded versions are retained (default 10).")
    int keepManifests;

    @Option(
            names = "--retention",
            paramLabel = "<time>",
            defaultValue = "24h",
            description = "So long superseded versions are retained (default 24h).")
    String retention;

    @Option(
            names = "--max-clock-skew",
            paramLabel = "<time>",
            defaultValue = "5min",
            description = "How far the clocks of the stores may be apart (default 5min).")
    String maxClockSkew;

    @Override
    int run(CollectionHandle handle) throws Exception {
        Retention retained = retained();
        long skewMs = TimeOption.parse("--max-clock-skew", maxClockSkew).toMillis();
        try (BrokerArguments.Connection connection = brokers.connect(warehouse);
                KafkaStreamLog log = connection.log(handle.info())) {
            StreamTrimmer trimmer = new StreamTrimmer(handle, log, retained, skewMs);
            TrimPlan plan =
                    dryRun
                            ? trimmer.plan()
                            : trimmer.run(
                                    "loam trim, process "
                                            + ProcessHandle.current().pid()
                                            + " since "
                                            + Instant.now());
            print(plan);
        }
        return Loam.OK;
    }

    private Retention retained() {
        try {
            return new Retention(
                    keepManifests, TimeOption.parse("--retention", retention).toMillis());
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
    }

    private void print(TrimPlan plan) {
        Table table = new Table("partition", "start", dryRun ? "would go" : "deleted", "stay");
        for (TrimPlan.Partition partition : plan.partitions()) {
            long from = Math.max(partition.start(), partition.needed());
            if (json) {
                out().println(
                                new JsonOut()
                                        .put("partition", partition.partition())
                                        .put("start", partition.start())
                                        .put("needed", partition.needed())
                                        .put("end", partition.end())
                                        .put("goes", partition.goes())
                                        .put("deleted", !dryRun));
            }
            table.row(partition.partition(), from, partition.goes(), partition.end() - from);
        }
        if (!json) {
            table.print(out());
            out().println(
                            plan.oldestVersion() == 0
                                    ? "nothing is applied yet"
                                    : "the oldest version retained is " + plan.oldestVersion());
        }
    }
}
