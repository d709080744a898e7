package io.loam.bench.jmh;

import io.loam.bench.input.Entry;
import io.loam.bench.input.Generator;
import io.loam.bench.input.InputSpec;
import io.loam.codec.fold.FoldOutcome;
import io.loam.codec.fold.KeyFold;
import io.loam.codec.fold.LoggedOperation;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Operations of a batch, half of them updates of popular keys, grouped by key and folded. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FoldBenchmark {
    private static final int OPERATIONS = 10_000;

    private final List<LoggedOperation> operations = new ArrayList<>();
    private final SortedMap<PrimaryKey, List<LoggedOperation>> grouped = new TreeMap<>();
    private Document current;

    @Setup
    public void generate() {
        Generator generator =
                new Generator(
                        InputSpec.of(42, 0)
                                .withChanges(OPERATIONS, 0.5)
                                .withDeletesAndPatches(0.1, 0.2));
        for (int i = 0; i < OPERATIONS; i++) {
            Entry entry = generator.next();
            Operation operation = entry.operation();
            if (operation instanceof Operation.Upsert upsert) {
                current = upsert.document();
            }
            operations.add(new LoggedOperation(0, i, operation, new byte[0]));
        }
        group(grouped);
    }

    private void group(SortedMap<PrimaryKey, List<LoggedOperation>> into) {
        for (LoggedOperation logged : operations) {
            into.computeIfAbsent(logged.operation().key(), key -> new ArrayList<>(1)).add(logged);
        }
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public Object groupByKey() {
        SortedMap<PrimaryKey, List<LoggedOperation>> into = new TreeMap<>();
        group(into);
        return into;
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void fold(Blackhole hole) {
        for (List<LoggedOperation> ofKey : grouped.values()) {
            KeyFold.Prepared prepared =
                    KeyFold.prepare(ofKey, document -> Optional.empty(), hole::consume);
            FoldOutcome outcome = prepared.fold(prepared.needsCurrent() ? current : null, true);
            hole.consume(outcome);
        }
    }
}
