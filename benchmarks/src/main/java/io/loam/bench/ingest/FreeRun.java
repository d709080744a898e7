package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.input.InputFile;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Flink writes all of the input into a system as fast as it takes it, with checkpoints in time. */
final class FreeRun implements Arm {
    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Arguments arguments = new Arguments(args);
        Path folder = arguments.directory().resolve("table");
        try (SystemUnderTest<?> system = SystemUnderTest.open(folder, arguments)) {
            system.create();
            return ingest(system, arguments);
        }
    }

    private static <T> Map<String, Double> ingest(SystemUnderTest<T> system, Arguments arguments)
            throws Exception {
        int parallelism = arguments.number(Arguments.PARALLELISM);
        StreamExecutionEnvironment env =
                BenchJob.environment(
                        arguments.directory(),
                        parallelism,
                        Duration.ofMillis(arguments.number(Arguments.CHECKPOINT_MS)));
        system.attach(
                InputNumbers.stream(
                        env, arguments.input(), parallelism, system.reader(), system.type()),
                parallelism);
        try (CommitClock clock = new CommitClock(system::newestCheckpoint)) {
            env.execute("ingest");
            return clock.finish(InputFile.open(arguments.input()).records());
        }
    }
}
