package io.loam.jobs.cli;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.jobs.ApplyCollectionJob;
import io.loam.jobs.LocalApply;
import io.loam.store.CollectionHandle;

import org.apache.flink.core.execution.JobClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Applies a collection's stream. */
@Command(
        name = "apply",
        description =
                "Apply the collection's stream, in this process on an embedded Flink cluster, up to"
                        + " the log's present end (or on and on with --follow).",
        mixinStandardHelpOptions = true)
final class ApplyCommand extends CollectionCommand {
    @Mixin BrokerArguments brokers;

    @Option(names = "--follow", description = "Keep running; Ctrl-C ends it.")
    boolean follow;

    @Option(
            names = "--parallelism",
            paramLabel = "<n>",
            defaultValue = "2",
            description = "Parallelism (default ${DEFAULT-VALUE}).")
    int parallelism;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "<time>",
            defaultValue = "2s",
            description = "One manifest at most each interval (default ${DEFAULT-VALUE}).")
    String interval;

    @Option(
            names = "--sink",
            paramLabel = "<option=value>",
            description = "An option of the sink, such as unit.max-rows=50000.")
    Map<String, String> sink = new TreeMap<>();

    @Option(
            names = "--flink",
            paramLabel = "<key=value>",
            description = "An option of the embedded Flink cluster.")
    Map<String, String> flink = new TreeMap<>();

    @Option(
            names = "--print",
            description = "Run nothing; print how to submit the job to a Flink cluster.")
    boolean print;

    @Override
    int run(CollectionHandle handle) throws Exception {
        if (parallelism < 1) {
            throw new CliException("--parallelism must be at least 1, it is " + parallelism);
        }
        if (print) {
            out().println(submission());
            return Loam.OK;
        }
        long before = handle.live().version();
        try (BrokerArguments.Connection connection = brokers.connect(warehouse.warehouse)) {
            try (Topic topic = new Topic(connection.bootstrapServers(), handle.info())) {
                topic.ensure();
            }
            execute(job(connection.bootstrapServers()));
        }
        CollectionManifest manifest = handle.live().manifest();
        if (json) {
            out().println(
                            new JsonOut()
                                    .put("version", manifest.version())
                                    .put("commits", manifest.version() - before)
                                    .put("live_documents", manifest.liveDocCount())
                                    .put("dead_letters_total", manifest.deadLettersTotal()));
        } else {
            out().printf(
                            "version %d (%d commits), %d live documents, %d dead letters in all%n",
                            manifest.version(),
                            manifest.version() - before,
                            manifest.liveDocCount(),
                            manifest.deadLettersTotal());
        }
        return Loam.OK;
    }

    private LocalApply job(String bootstrapServers) {
        Path checkpoints =
                warehouse.warehouse.toAbsolutePath().normalize().resolveSibling("checkpoints");
        LocalApply job =
                new LocalApply(
                                warehouse.options(),
                                warehouse.namespace,
                                collection,
                                bootstrapServers)
                        .parallelism(parallelism)
                        .checkpointDirectory(checkpoints)
                        .parameter("checkpoint-interval", interval)
                        .parameter("bounded", Boolean.toString(!follow));
        sink.forEach((key, value) -> job.parameter(sinkParameter(key), value));
        flink.forEach(job::flink);
        return job;
    }

    private static void execute(LocalApply job) throws Exception {
        JobClient client = job.start();
        try {
            client.getJobExecutionResult().get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new CliException("the job failed: " + ErrorText.deepest(e), e);
        }
    }

    private String submission() {
        List<String> words = new ArrayList<>();
        words.add("flink run -d -c " + ApplyCollectionJob.class.getName());
        words.add("jobs/target/loam-jobs-" + Loam.Version.text() + "-application.jar");
        words.add("--warehouse " + warehouse.options().warehouse());
        if (!warehouse.metastore.isEmpty()) {
            words.add("--metastore '" + warehouse.metastore + "'");
        }
        if (!warehouse.user.isEmpty()) {
            words.add("--metastore-user " + warehouse.user);
            words.add("--metastore-password ...");
        }
        words.add("--namespace " + warehouse.namespace);
        words.add("--collection " + collection);
        words.add("--bootstrap-servers " + (brokers.external() ? brokers.brokers : "<host:port>"));
        words.add("--checkpoint-interval " + interval);
        sink.forEach((key, value) -> words.add("--" + sinkParameter(key) + " " + value));
        return String.join(" \\\n  ", words);
    }

    private static String sinkParameter(String option) {
        return option.startsWith("sink.") ? option : "sink." + option;
    }
}
