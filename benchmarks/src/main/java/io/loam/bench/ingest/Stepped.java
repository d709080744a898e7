package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.RunningJob;
import io.loam.bench.input.InputFile;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * Flink writes into a system with checkpoints of a given number of records: they are let through, a
 * checkpoint is triggered, and the next ones come when its commit is visible.
 */
final class Stepped implements Arm {
    /** Argument: where the table is made; without it, in the arm's own directory. */
    static final String TABLE = "table";

    /** Argument: whether side jobs run at the end. */
    static final String MAINTAIN = "maintain";

    private static final long POLL_MS = 2;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Arguments arguments = new Arguments(args);
        Path folder =
                args.containsKey(TABLE)
                        ? Path.of(args.get(TABLE))
                        : arguments.directory().resolve("table");
        try (SystemUnderTest<?> system = SystemUnderTest.open(folder, arguments)) {
            system.create();
            StreamExecutionEnvironment env =
                    BenchJob.environment(
                            arguments.directory(),
                            arguments.number(Arguments.PARALLELISM),
                            Duration.ofHours(1)); // triggered by hand
            attach(system, env, arguments);
            Map<String, Double> values = run(system, env, arguments);
            if (arguments.is(MAINTAIN)) {
                system.maintain(arguments.directory().resolve("maintenance"));
            }
            return values;
        }
    }

    private static <T> void attach(
            SystemUnderTest<T> system, StreamExecutionEnvironment env, Arguments arguments)
            throws Exception {
        system.attach(
                env.fromSource(
                                new Gate.Numbers(),
                                WatermarkStrategy.noWatermarks(),
                                "gate",
                                Types.LONG)
                        .setParallelism(1)
                        .map(new Read<>(arguments.input().toString(), system.reader()))
                        .returns(system.type())
                        .setParallelism(1),
                arguments.number(Arguments.PARALLELISM));
    }

    private static Map<String, Double> run(
            SystemUnderTest<?> system, StreamExecutionEnvironment env, Arguments arguments)
            throws Exception {
        JobGraph graph = env.getStreamGraph().getJobGraph();
        JobID job = graph.getJobID();
        MiniClusterConfiguration configuration =
                new MiniClusterConfiguration.Builder()
                        .setConfiguration((Configuration) env.getConfiguration())
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(arguments.number(Arguments.PARALLELISM))
                        .build();
        try (MiniCluster cluster = new MiniCluster(configuration)) {
            cluster.start();
            cluster.submitJob(graph).get();
            RunningJob running =
                    RunningJob.of(
                            "ingest",
                            cluster.requestJobResult(job),
                            () -> cluster.cancelJob(job).get());
            Gate.awaitSource(running);
            Map<String, Double> values =
                    Steps.run(
                            arguments,
                            InputFile.open(arguments.input()).records(),
                            (from, to) -> {
                                Gate.open(to, running);
                                long id = checkpoint(cluster, job, running);
                                running.await(
                                        "the commit of checkpoint " + id,
                                        POLL_MS,
                                        () -> system.newestCheckpoint().orElse(0) >= id);
                            });
            running.cancel();
            return values;
        }
    }

    private static long checkpoint(MiniCluster cluster, JobID job, RunningJob running)
            throws Exception {
        try {
            return cluster.triggerCheckpoint(job, CheckpointType.CONFIGURED).get();
        } catch (ExecutionException e) {
            throw running.causeOr(e);
        }
    }

    private static final class Read<T> extends RichMapFunction<Long, T> {
        private static final long serialVersionUID = 1L;
        private final String input;
        private final InputNumbers.Reader<T> reader;
        private transient InputFile file;

        Read(String input, InputNumbers.Reader<T> reader) {
            this.input = input;
            this.reader = reader;
        }

        @Override
        public void open(OpenContext context) throws IOException {
            file = InputFile.open(Path.of(input));
        }

        @Override
        public T map(Long number) throws IOException {
            return reader.read(file, number.intValue());
        }
    }
}
