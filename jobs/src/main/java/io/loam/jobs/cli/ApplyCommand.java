package io.loam.jobs.cli;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.jobs.ApplyCollectionJob;
import io.loam.jobs.ApplyParameters;
import io.loam.jobs.LocalApply;
import io.loam.jobs.Secrets;
import io.loam.jobs.cluster.ClusterFolders;
import io.loam.jobs.cluster.FlinkCluster;
import io.loam.jobs.cluster.Submission;
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
                "Apply the collection's stream up to the log's present end, or on and on with"
                        + " --follow: in this process on an embedded Flink cluster, or on the"
                        + " cluster named by --cluster.",
        mixinStandardHelpOptions = true)
final class ApplyCommand extends CollectionCommand {
    @Mixin BrokerArguments brokers;
    @Mixin ClusterOption cluster;

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
            description =
                    "One manifest at most each interval (default 2s; of a cluster, what it is"
                            + " configured with).")
    String interval;

    @Option(
            names = "--sink",
            paramLabel = "<option=value>",
            description = "An option of the sink, such as unit.max-rows=50000.")
    Map<String, String> sink = new TreeMap<>();

    @Option(
            names = "--flink",
            paramLabel = "<key=value>",
            description = "An option of the embedded Flink cluster, or of the job on another.")
    Map<String, String> flink = new TreeMap<>();

    @Option(
            names = "--accept-topic",
            description =
                    "Go on although the topic's id is not the one the collection was applied from,"
                            + " as after a move of the log that kept all offsets.")
    boolean acceptTopic;

    @Option(
            names = "--print",
            description =
                    "Run nothing; print how to submit the job to a Flink cluster. Secrets are left"
                            + " out: the job finds them where --send-secrets says.")
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
        if (cluster.given()) {
            return submit(handle);
        }
        if (cluster.from != null) {
            throw new CliException(
                    "--from needs --cluster; without one every run goes on where the collection is");
        }
        long before = handle.live().version();
        try (BrokerArguments.Connection connection = brokers.connect(warehouse)) {
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
        Path checkpoints = warehouse.beside("checkpoints");
        LocalApply job =
                new LocalApply(
                                warehouse.options(),
                                warehouse.namespace,
                                collection,
                                bootstrapServers)
                        .parallelism(parallelism)
                        .checkpointDirectory(checkpoints)
                        .parameter("checkpoint-interval", interval == null ? "2s" : interval)
                        .parameter("bounded", Boolean.toString(!follow))
                        .parameter("accept-topic", Boolean.toString(acceptTopic));
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

    private int submit(CollectionHandle handle) throws Exception {
        if (!brokers.external()) {
            throw new CliException(
                    "a job on a cluster outlives this command and a broker of its own; name"
                            + " brokers with --brokers");
        }
        try (Topic topic = new Topic(brokers.brokers, handle.info())) {
            topic.ensure();
        }
        Map<String, String> parameters =
                ApplyParameters.of(
                        warehouse.options(), warehouse.namespace, collection, brokers.brokers);
        parameters.put("bounded", Boolean.toString(!follow));
        if (acceptTopic) {
            parameters.put("accept-topic", "true");
        }
        if (interval != null) {
            parameters.put("checkpoint-interval", interval);
        }
        sink.forEach((key, value) -> parameters.put(sinkParameter(key), value));
        FlinkCluster flinkCluster = cluster.cluster();
        int free = flinkCluster.overview().freeSlots();
        if (free < parallelism) {
            // Flink takes the job all the same, and lets it wait.
            spec.commandLine()
                    .getErr()
                    .printf(
                            "loam: the job needs %d slots and %d are free; it waits for more%n",
                            parallelism, free);
        }
        String job =
                flinkCluster.submit(
                        new Submission(
                                ClusterFolders.applicationJar(),
                                ApplyCollectionJob.class.getName(),
                                cluster.sendSecrets ? parameters : Secrets.withheld(parameters),
                                parallelism,
                                cluster.from,
                                flink));
        if (json) {
            out().println(new JsonOut().put("job", job).put("cluster", flinkCluster.url()));
            return Loam.OK;
        }
        out().printf("job %s on %s%n", job, flinkCluster.url());
        out().println(
                        follow
                                ? "stop it with: loam cluster stop-job "
                                        + job
                                        + " --cluster "
                                        + flinkCluster.url()
                                : "it ends at the log's present end; --follow lets it run on");
        return Loam.OK;
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
        }
        warehouse
                .options()
                .properties()
                .forEach(
                        (name, value) -> {
                            if (!Secrets.isSecret(name)) {
                                words.add("--" + name + " " + value);
                            }
                        });
        words.add("--namespace " + warehouse.namespace);
        words.add("--collection " + collection);
        words.add("--bootstrap-servers " + (brokers.external() ? brokers.brokers : "<host:port>"));
        if (acceptTopic) {
            words.add("--accept-topic true");
        }
        if (interval != null) {
            words.add("--checkpoint-interval " + interval);
        }
        sink.forEach((key, value) -> words.add("--" + sinkParameter(key) + " " + value));
        return String.join(" \\\n  ", words);
    }

    private static String sinkParameter(String option) {
        return option.startsWith("sink.") ? option : "sink." + option;
    }
}
