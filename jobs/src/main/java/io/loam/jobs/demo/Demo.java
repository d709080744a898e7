package io.loam.jobs.demo;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.jobs.LocalApply;
import io.loam.jobs.LockFile;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.jobs.cli.CliException;
import io.loam.jobs.cli.ErrorText;
import io.loam.jobs.cli.KafkaLogReader;
import io.loam.jobs.cli.ManifestsCommand;
import io.loam.jobs.cli.OperationProducer;
import io.loam.jobs.cli.Topic;
import io.loam.jobs.cli.VerifyCommand;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.history.History;
import io.loam.store.metastore.Metastore;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.core.execution.JobClient;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** One run of the demo in its folder, which it holds for itself while it runs. */
final class Demo implements AutoCloseable {
    private static final String NAMESPACE = "default";
    private static final String COLLECTION = "wordnet";
    private static final int PARTITIONS = 4;
    private static final int SHOWN_MANIFESTS = 12;

    private final Path folder;
    private final int documents;
    private final int vectors;
    private final PrintWriter out;
    private final GlossEmbeddings embeddings = new GlossEmbeddings();
    private final FileLock lock;

    Demo(Path folder, int documents, int vectors, PrintWriter out) throws IOException {
        this.folder = folder;
        this.documents = documents;
        this.vectors = vectors;
        this.out = out;
        Files.createDirectories(folder);
        this.lock = LockFile.tryLock(folder.resolve("demo.lock"));
        if (lock == null) {
            throw new CliException(
                    "another demo runs in "
                            + folder
                            + "; end it, or use another folder with --dir");
        }
    }

    /** Removes everything an earlier run left. */
    void startOver() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                if (!file.equals(folder) && !file.endsWith("demo.lock")) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    int run(int parallelism, String interval) throws Exception {
        say("reading WordNet 3.1 ...");
        List<WordNet.Entry> all = WordNet.read();
        List<WordNet.Entry> entries = all.subList(0, Math.min(documents, all.size()));
        DemoPlan plan = new DemoPlan(entries, vectors, embeddings);
        DemoState begun =
                begun(new DemoState(entries.size(), Math.min(vectors, entries.size()), 0));
        say(
                "%d of %d synsets, %d with embeddings of %d dimensions",
                entries.size(), all.size(), begun.vectors(), GlossEmbeddings.DIMENSION);
        say("starting the broker ...");
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"));
                Warehouse warehouse = Warehouse.openOrCreate(options())) {
            createCollection(warehouse.metastore());
            try (CollectionHandle handle = warehouse.open(NAMESPACE, COLLECTION);
                    Topic topic = new Topic(broker.bootstrapServers(), handle.info())) {
                topic.ensure();
                load(broker.bootstrapServers(), handle, topic, plan, begun, parallelism, interval);
                return show(broker.bootstrapServers(), handle);
            }
        }
    }

    /** The state of an earlier run of the same size, or a new one. */
    private DemoState begun(DemoState wanted) throws IOException {
        DemoState earlier = DemoState.read(stateFile()).orElse(null);
        if (earlier == null) {
            return wanted;
        }
        if (!earlier.samePlan(wanted)) {
            throw new CliException(
                    "an earlier run in "
                            + folder
                            + " had --docs "
                            + earlier.documents()
                            + " and "
                            + earlier.vectors()
                            + " vectors; start over with --fresh, or use another folder with --dir");
        }
        if (earlier.chunks() > 0) {
            say("going on with the earlier run in %s (--fresh starts over)", folder);
        }
        return earlier;
    }

    private Path stateFile() {
        return folder.resolve("demo.properties");
    }

    private WarehouseOptions options() {
        return WarehouseOptions.local(folder.resolve("warehouse"));
    }

    private static void createCollection(Metastore metastore) throws IOException {
        if (metastore.findCollection(NAMESPACE, COLLECTION).isEmpty()) {
            metastore.createCollection(
                    NAMESPACE, COLLECTION, DemoSchema.schema(), PARTITIONS, null);
        }
    }

    private void load(
            String brokers,
            CollectionHandle handle,
            Topic topic,
            DemoPlan plan,
            DemoState begun,
            int parallelism,
            String interval)
            throws Exception {
        long before = sum(handle.live().manifest());
        if (begun.chunks() >= plan.chunks() && before == sum(topic.endOffsets())) {
            say("everything is applied already");
            return;
        }
        say("starting the job ...");
        long started = System.nanoTime();
        JobClient job =
                new LocalApply(options(), NAMESPACE, COLLECTION, brokers)
                        .parallelism(parallelism)
                        .checkpointDirectory(folder.resolve("checkpoints"))
                        .parameter("checkpoint-interval", interval)
                        .flink("metrics.reporters", "demo")
                        .flink(
                                "metrics.reporter.demo.factory.class",
                                StageMetricsReporter.Factory.class.getName())
                        .start();
        try {
            append(brokers, handle, plan, begun, job);
            waitUntilApplied(handle, topic, job);
        } finally {
            stop(job);
        }
        profile(handle, before, System.nanoTime() - started);
    }

    private void append(
            String brokers, CollectionHandle handle, DemoPlan plan, DemoState begun, JobClient job)
            throws Exception {
        long lastShown = System.nanoTime();
        try (OperationProducer producer = new OperationProducer(brokers, handle.info())) {
            for (int chunk = begun.chunks(); chunk < plan.chunks(); chunk++) {
                plan.emit(chunk, producer::send);
                producer.flush();
                new DemoState(begun.documents(), begun.vectors(), chunk + 1).write(stateFile());
                if (System.nanoTime() - lastShown > TimeUnit.SECONDS.toNanos(2)) {
                    lastShown = System.nanoTime();
                    requireRunning(job);
                    progress(handle, plan.isUpdate(chunk) ? "changing" : "appending", producer);
                }
            }
        }
    }

    private void progress(CollectionHandle handle, String what, OperationProducer producer)
            throws IOException {
        CollectionManifest live = handle.live().manifest();
        say(
                "  %s: %d operations sent; version %d, %d live documents, %d offsets applied",
                what, producer.sent(), live.version(), live.liveDocCount(), sum(live));
    }

    private void waitUntilApplied(CollectionHandle handle, Topic topic, JobClient job)
            throws Exception {
        long end = sum(topic.endOffsets());
        long shown = -1;
        long applied = sum(handle.live().manifest());
        while (applied < end) {
            requireRunning(job);
            if (applied != shown) {
                CollectionManifest live = handle.live().manifest();
                say(
                        "  applying: %d of %d offsets; version %d, %d live documents",
                        applied, end, live.version(), live.liveDocCount());
                shown = applied;
            }
            Thread.sleep(300);
            applied = sum(handle.live().manifest());
        }
    }

    private static void requireRunning(JobClient job) throws Exception {
        if (job.getJobStatus().get().isGloballyTerminalState()) {
            try {
                job.getJobExecutionResult().get();
            } catch (ExecutionException e) {
                throw new CliException("the job failed: " + ErrorText.deepest(e), e);
            }
            throw new CliException("the job ended before everything was applied");
        }
    }

    private static void stop(JobClient job) throws Exception {
        try {
            job.cancel().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // A job that already ended cannot be cancelled; its failure was told before.
            if (!job.getJobStatus().get().isGloballyTerminalState()) {
                throw e;
            }
        }
    }

    private void profile(CollectionHandle handle, long before, long nanos) throws IOException {
        long operations = sum(handle.live().manifest()) - before;
        double seconds = nanos / 1e9;
        say(
                "applied %d operations in %.1f s: %.0f a second",
                operations, seconds, operations / seconds);
        long rows = StageMetricsReporter.sum("rowsMs");
        long text = StageMetricsReporter.sum("textMs");
        long fold = StageMetricsReporter.sum("foldMs") + StageMetricsReporter.sum("currentRowsMs");
        long upload = StageMetricsReporter.sum("uploadMs");
        long commit = StageMetricsReporter.sum("commitMs");
        double total = Math.max(1, rows + text + fold + upload + commit) / 100.0;
        say(
                "time in Lance %.0f %%, Tantivy %.0f %%, fold %.0f %%, upload %.0f %%, commit %.0f %%"
                        + " of %d ms of work",
                rows / total,
                text / total,
                fold / total,
                upload / total,
                commit / total,
                rows + text + fold + upload + commit);
    }

    private int show(String brokers, CollectionHandle handle) throws Exception {
        new DemoSearches(handle, embeddings, out).run();
        out.println();
        out.println("The manifest chain, newest first:");
        List<Link> links = History.of(handle).manifests();
        ManifestsCommand.print(
                links.subList(0, Math.min(SHOWN_MANIFESTS, links.size())), false, out);
        out.println();
        out.println("Verifying against the stream ...");
        out.flush();
        try (KafkaLogReader log = new KafkaLogReader(brokers, handle.info())) {
            VerifyReport report = Verifier.againstLog(handle, log);
            VerifyCommand.print(report, out);
            return report.ok() ? 0 : 3;
        }
    }

    private static long sum(CollectionManifest manifest) {
        return manifest.applied().values().stream().mapToLong(Long::longValue).sum();
    }

    private static long sum(long[] offsets) {
        long sum = 0;
        for (long offset : offsets) {
            sum += offset;
        }
        return sum;
    }

    private void say(String format, Object... arguments) {
        out.println(String.format(format, arguments));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        lock.channel().close();
    }
}
