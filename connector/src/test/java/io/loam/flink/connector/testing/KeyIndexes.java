package io.loam.flink.connector.testing;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.connector.CollectionSink;
import io.loam.flink.operators.KeyTypes;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

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

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** The key index in a savepoint, and what it should be. */
public final class KeyIndexes {
    private KeyIndexes() {}

    /** Keys and row ids of the live version. */
    public static Map<PrimaryKey, Long> live(CollectionHandle handle) throws IOException {
        Map<PrimaryKey, Long> index = new TreeMap<>();
        long version = handle.live().manifest().lanceVersion();
        if (version == 0) {
            return index;
        }
        try (RowSnapshot rows = handle.rows().open(version, handle.schema());
                RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                index.put(row.key(), row.rowId());
            }
        }
        return index;
    }

    /** Keys and row ids that the staging operator holds, as a canonical savepoint has them. */
    public static Map<PrimaryKey, Long> staged(String savepoint, long collectionId)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        SavepointReader reader = SavepointReader.read(env, savepoint, new HashMapStateBackend());
        String uid = CollectionSink.uid(collectionId) + ": " + CollectionSink.STAGE_UID;
        DataStream<Tuple2<PrimaryKey, Long>> entries =
                reader.readKeyedState(
                        OperatorIdentifier.forUid(uid),
                        new EntryReader(),
                        KeyTypes.KEY,
                        EntryReader.TYPE);
        Map<PrimaryKey, Long> index = new TreeMap<>();
        try (CloseableIterator<Tuple2<PrimaryKey, Long>> iterator = entries.executeAndCollect()) {
            iterator.forEachRemaining(entry -> index.put(entry.f0, entry.f1));
        }
        return index;
    }

    private static final class EntryReader
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
