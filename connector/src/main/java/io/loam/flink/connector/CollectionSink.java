package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.flink.operators.AggregateOperator;
import io.loam.flink.operators.AggregateOptions;
import io.loam.flink.operators.BatchInputOperator;
import io.loam.flink.operators.BatchStageOperator;
import io.loam.flink.operators.CollectionElement;
import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.KeyTypes;
import io.loam.flink.operators.StageOperator;
import io.loam.flink.operators.StageOptions;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/**
 * Writes a collection, exactly once: one manifest for each checkpoint that brought something.
 *
 * <pre>
 * elements - keyBy(key) - stage (N) - writer (N, passes on) - aggregate (1) - commit (1 of N)
 * </pre>
 *
 * In batch execution, where the runtime sorts by key, arrivals are numbered before {@code keyBy},
 * and all of the input is one manifest.
 *
 * <p>The sink must have a uid, as its inner operators have; {@link #addTo} sets it. A sink is one
 * incarnation of a writer: build a new one for every submission.
 */
@PublicEvolving
public sealed class CollectionSink
        implements Sink<CollectionElement>,
                SupportsPreWriteTopology<CollectionElement>,
                SupportsCommitter<CollectionCommittable>,
                SupportsPreCommitTopology<CollectionElement, CollectionCommittable>
        permits PublishingSink {
    /** Uid of the staging operator, behind the sink's own. */
    public static final String STAGE_UID = "loam-stage";

    /** Uid of the operator in front of it in batch execution, behind the sink's own. */
    public static final String BATCH_INPUT_UID = "loam-batch-input";

    /** Uid of the aggregate, behind the sink's own. */
    public static final String AGGREGATE_UID = "loam-aggregate";

    private static final long serialVersionUID = 1L;

    private final CollectionOpener opener;
    private final String name;
    private final String uid;
    private final Ulid incarnation;
    private final StageOptions staging;
    private final CommitSettings commits;

    CollectionSink(
            CollectionOpener opener,
            CollectionInfo collection,
            Ulid incarnation,
            StageOptions staging,
            CommitSettings commits) {
        this.opener = opener;
        this.name = collection.namespace() + "." + collection.name();
        this.uid = uid(collection.id());
        this.incarnation = incarnation;
        this.staging = staging;
        this.commits = commits;
    }

    public static CollectionSinkBuilder builder() {
        return new CollectionSinkBuilder();
    }

    /** Whether a sink that ends this stream would write in batch execution. */
    @Internal
    public static boolean isBatch(DataStream<?> stream) {
        return GraphChecks.isBatch(stream);
    }

    /** Uid of the sink of a collection, as {@link #addTo} sets it. */
    public static String uid(long collectionId) {
        return "loam-sink-" + collectionId;
    }

    /** The incarnation this sink writes as. */
    public Ulid incarnation() {
        return incarnation;
    }

    /** Ends a stream in this sink, with uid and name. */
    public DataStreamSink<CollectionElement> addTo(DataStream<CollectionElement> elements) {
        return elements.sinkTo(this).uid(uid).name("Collection " + name);
    }

    @Override
    public DataStream<CollectionElement> addPreWriteTopology(DataStream<CollectionElement> input) {
        GraphChecks.check(input);
        return GraphChecks.isBatch(input)
                ? stage(numbered(input), new BatchStageOperator(opener, incarnation, staging))
                : stage(input, new StageOperator(opener, incarnation, staging));
    }

    private DataStream<CollectionElement> stage(
            DataStream<CollectionElement> input,
            OneInputStreamOperator<CollectionElement, CollectionElement> operator) {
        return input.keyBy(CollectionElement::routingKey, KeyTypes.KEY)
                .transform("Stage " + name, CollectionElement.TYPE, operator)
                .uid(STAGE_UID);
    }

    /** As many subtasks as the input has, each following one of them: they count arrivals. */
    private DataStream<CollectionElement> numbered(DataStream<CollectionElement> input) {
        return input.forward()
                .transform("Number " + name, CollectionElement.TYPE, new BatchInputOperator(opener))
                .uid(BATCH_INPUT_UID)
                .setParallelism(input.getTransformation().getParallelism());
    }

    @Override
    public SinkWriter<CollectionElement> createWriter(WriterInitContext context) {
        return new PassThroughWriter(context.metricGroup());
    }

    @Override
    public SimpleVersionedSerializer<CollectionElement> getWriteResultSerializer() {
        return new ElementSerializer();
    }

    @Override
    public DataStream<CommittableMessage<CollectionCommittable>> addPreCommitTopology(
            DataStream<CommittableMessage<CollectionElement>> committables) {
        AggregateOptions options =
                new AggregateOptions(
                        staging.mode(),
                        commits.writer(),
                        name,
                        commits.leaseTtlMs(),
                        GraphChecks.isBatch(committables),
                        commits.takeOver());
        TypeInformation<CommittableMessage<CollectionCommittable>> type =
                CommittableMessageTypeInfo.of(CommittableSerializer::new);
        return committables
                .global()
                .transform(
                        "Aggregate " + name,
                        type,
                        new AggregateOperator(opener, incarnation, options))
                .uid(AGGREGATE_UID)
                .setParallelism(1)
                .setMaxParallelism(1)
                .global();
    }

    @Override
    public Committer<CollectionCommittable> createCommitter(CommitterInitContext context) {
        return new CollectionCommitter(opener, name, incarnation, commits, context);
    }

    @Override
    public SimpleVersionedSerializer<CollectionCommittable> getCommittableSerializer() {
        return new CommittableSerializer();
    }
}
