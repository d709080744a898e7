package io.loam.bench.ingest;

import io.loam.bench.input.InputFile;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;

/**
 * A stream of what is read from an input file, each key in one partition and in order, as from a
 * log with as many partitions as there are subtasks.
 */
final class InputNumbers {
    private InputNumbers() {}

    /** Makes an element of a record; runs in the source's own task. */
    interface Reader<T> extends Serializable {
        T read(InputFile file, int record) throws IOException;
    }

    static <T> DataStream<T> stream(
            StreamExecutionEnvironment env,
            Path input,
            int parallelism,
            Reader<T> reader,
            TypeInformation<T> type)
            throws IOException {
        int[][] partitions = partitions(InputFile.open(input), parallelism);
        int longest = 0;
        for (int[] partition : partitions) {
            longest = Math.max(longest, partition.length);
        }
        // The source cuts its range into equal parts, one for each subtask.
        NumberSequenceSource numbers =
                new NumberSequenceSource(0, (long) longest * parallelism - 1);
        return env.fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers", Types.LONG)
                .setParallelism(parallelism)
                .flatMap(new Read<>(input.toString(), partitions, longest, reader))
                .returns(type)
                .setParallelism(parallelism);
    }

    private static int[][] partitions(InputFile file, int count) {
        int[][] partitions = new int[count][];
        int[] sizes = new int[count];
        for (int i = 0; i < file.records(); i++) {
            sizes[file.partition(i, count)]++;
        }
        for (int p = 0; p < count; p++) {
            partitions[p] = new int[sizes[p]];
            sizes[p] = 0;
        }
        for (int i = 0; i < file.records(); i++) {
            int p = file.partition(i, count);
            partitions[p][sizes[p]++] = i;
        }
        return partitions;
    }

    private static final class Read<T> extends RichFlatMapFunction<Long, T>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        private final String input;
        private final int[][] partitions;
        private final int longest;
        private final Reader<T> reader;
        private transient InputFile file;
        private transient long emitted;

        Read(String input, int[][] partitions, int longest, Reader<T> reader) {
            this.input = input;
            this.partitions = partitions;
            this.longest = longest;
            this.reader = reader;
        }

        @Override
        public void open(OpenContext context) throws IOException {
            file = InputFile.open(Path.of(input));
        }

        @Override
        public void flatMap(Long number, Collector<T> out) throws Exception {
            int[] partition = partitions[(int) (number / longest)];
            int at = (int) (number % longest);
            if (at < partition.length) {
                Emissions.started();
                emitted++;
                out.collect(reader.read(file, partition[at]));
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            Emissions.at(
                    context.getCheckpointId(),
                    getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                    emitted);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            // A run that fails is no measurement: nothing is restored.
        }
    }
}
