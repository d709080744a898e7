package io.loam.bench.job;

import io.loam.bench.Arm;
import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.KeyTypes;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Puts so many keys with a number each into keyed state in RocksDB, when an operator opens, and
 * nothing else: what any way to build a key index has to do. Each subtask puts those it owns, which
 * are made beforehand.
 */
final class PutsArm implements Arm {
    static final String KEYS = "keys";
    static final String PARALLELISM = "parallelism";
    private static final AtomicLong LONGEST_NANOS = new AtomicLong();

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        int parallelism = Integer.parseInt(args.get(PARALLELISM));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(
                        parallelism,
                        LoadJob.configuration(Path.of(args.get(DIRECTORY)), parallelism));
        env.enableCheckpointing(1_000);
        env.fromSequence(0, 0)
                .map(PrimaryKey::ofU64)
                .returns(KeyTypes.KEY)
                .keyBy(key -> key, KeyTypes.KEY)
                .transform("Put", Types.LONG, new Puts(Long.parseLong(args.get(KEYS))))
                .sinkTo(new DiscardingSink<>());
        env.execute("puts");
        return Map.of("ms", LONGEST_NANOS.get() / 1e6);
    }

    /** Puts when it opens. */
    static final class Puts extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<PrimaryKey, Long> {
        private static final long serialVersionUID = 1L;
        private final long keys;

        Puts(long keys) {
            this.keys = keys;
        }

        @Override
        public void open() throws Exception {
            super.open();
            PrimaryKey[] own = own();
            KeyedStateBackend<PrimaryKey> backend = getKeyedStateBackend();
            ValueState<Long> rows =
                    backend.getPartitionedState(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            new ValueStateDescriptor<>("row-id", Types.LONG));
            long started = System.nanoTime();
            for (int i = 0; i < own.length; i++) {
                backend.setCurrentKey(own[i]);
                rows.update((long) i);
            }
            LONGEST_NANOS.accumulateAndGet(System.nanoTime() - started, Math::max);
        }

        /** In the order of the keys, as a scan of rows gives them more or less. */
        private PrimaryKey[] own() {
            int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            int most = getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks();
            int all = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
            return LongStream.range(0, keys)
                    .mapToObj(PrimaryKey::ofU64)
                    .filter(
                            key ->
                                    KeyGroupRangeAssignment.assignKeyToParallelOperator(
                                                    key, most, all)
                                            == subtask)
                    .toArray(PrimaryKey[]::new);
        }

        @Override
        public void processElement(StreamRecord<PrimaryKey> element) {}
    }
}
