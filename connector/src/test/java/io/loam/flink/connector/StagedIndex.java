package io.loam.flink.connector;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.KeyTypes;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.SavepointReader;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;

import java.util.Map;
import java.util.TreeMap;

/** The staging operator's index as a canonical savepoint holds it. */
final class StagedIndex {
    private StagedIndex() {}

    static Map<PrimaryKey, Long> read(String savepoint, long collectionId) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        SavepointReader reader = SavepointReader.read(env, savepoint, new HashMapStateBackend());
        DataStream<Tuple2<PrimaryKey, Long>> entries =
                reader.readKeyedState(
                        OperatorIdentifier.forUid(
                                CollectionSink.uid(collectionId) + ": " + CollectionSink.STAGE_UID),
                        new IndexReader(),
                        KeyTypes.KEY,
                        IndexReader.TYPE);
        Map<PrimaryKey, Long> index = new TreeMap<>();
        try (CloseableIterator<Tuple2<PrimaryKey, Long>> iterator = entries.executeAndCollect()) {
            iterator.forEachRemaining(entry -> index.put(entry.f0, entry.f1));
        }
        return index;
    }

    private static final class IndexReader
            extends KeyedStateReaderFunction<PrimaryKey, Tuple2<PrimaryKey, Long>> {
        private static final long serialVersionUID = 1L;
        private static final TypeInformation<Tuple2<PrimaryKey, Long>> TYPE =
                Types.TUPLE(KeyTypes.KEY, Types.LONG);
        private transient ValueState<Long> rowId;

        @Override
        public void open(OpenContext context) {
            rowId = getRuntimeContext().getState(new ValueStateDescriptor<>("row-id", Types.LONG));
        }

        @Override
        public void readKey(
                PrimaryKey key, Context context, Collector<Tuple2<PrimaryKey, Long>> out)
                throws Exception {
            out.collect(Tuple2.of(key, rowId.value()));
        }
    }
}
