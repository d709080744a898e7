package io.loam.flink.connector;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.commit.CollectionCommittable;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.operators.StreamMap;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;

import java.io.IOException;
import java.util.Base64;
import java.util.Collection;

/**
 * A collection sink for a suite whose elements must be comparable: a text {@code k} becomes the
 * document {@code {"title":"k"}} of key {@code k}. Between staging and writer, which Flink wants to
 * be of one type, elements travel as text, too.
 */
record TextSink(CollectionSink sink)
        implements Sink<String>,
                SupportsPreWriteTopology<String>,
                SupportsCommitter<CollectionCommittable>,
                SupportsPreCommitTopology<CollectionElement, CollectionCommittable> {

    private static CollectionElement change(String text) {
        return Changes.upsert(PrimaryKey.ofString(text), "{\"title\":\"" + text + "\"}");
    }

    private static String print(CollectionElement element) throws IOException {
        return Base64.getEncoder().encodeToString(new ElementSerializer().serialize(element));
    }

    private static CollectionElement parse(String text) throws IOException {
        ElementSerializer serializer = new ElementSerializer();
        return serializer.deserialize(serializer.getVersion(), Base64.getDecoder().decode(text));
    }

    @Override
    public DataStream<String> addPreWriteTopology(DataStream<String> input) {
        DataStream<CollectionElement> staged = sink.addPreWriteTopology(changes(input));
        // The suite gives its sinks no uid, and Flink wants either all or none.
        staged.getTransformation().setUid(null);
        return staged.map(TextSink::print).returns(Types.STRING);
    }

    /**
     * As {@code map} does, but not as a part of the sink, which would be named after it and join
     * the vertex of the source: the suite looks for the writer's metrics in the first vertex that
     * has the sink's name.
     */
    private static DataStream<CollectionElement> changes(DataStream<String> input) {
        Transformation<String> texts = input.getTransformation();
        MapFunction<String, CollectionElement> change = TextSink::change;
        return new DataStream<>(
                input.getExecutionEnvironment(),
                new OneInputTransformation<>(
                        texts,
                        "To change",
                        new StreamMap<>(change),
                        Changes.TYPE,
                        texts.getParallelism()));
    }

    @Override
    public SinkWriter<String> createWriter(WriterInitContext context) {
        return new TextWriter(
                (CommittingSinkWriter<CollectionElement, CollectionElement>)
                        sink.createWriter(context));
    }

    @Override
    public SimpleVersionedSerializer<CollectionElement> getWriteResultSerializer() {
        return sink.getWriteResultSerializer();
    }

    @Override
    public DataStream<CommittableMessage<CollectionCommittable>> addPreCommitTopology(
            DataStream<CommittableMessage<CollectionElement>> committables) {
        DataStream<CommittableMessage<CollectionCommittable>> aggregated =
                sink.addPreCommitTopology(committables);
        aggregated.getTransformation().getInputs().get(0).setUid(null);
        return aggregated;
    }

    @Override
    public Committer<CollectionCommittable> createCommitter(CommitterInitContext context)
            throws IOException {
        return sink.createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<CollectionCommittable> getCommittableSerializer() {
        return sink.getCommittableSerializer();
    }

    private record TextWriter(CommittingSinkWriter<CollectionElement, CollectionElement> writer)
            implements CommittingSinkWriter<String, CollectionElement> {
        @Override
        public void write(String text, Context context) throws IOException, InterruptedException {
            writer.write(parse(text), context);
        }

        @Override
        public void flush(boolean endOfInput) throws IOException, InterruptedException {
            writer.flush(endOfInput);
        }

        @Override
        public Collection<CollectionElement> prepareCommit()
                throws IOException, InterruptedException {
            return writer.prepareCommit();
        }

        @Override
        public void close() throws Exception {
            writer.close();
        }
    }
}
