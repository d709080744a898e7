package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.StageOptions;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A collection that gets its name when all is written, by the last task of the job: so a name that
 * cannot be given fails the job, as a commit does.
 *
 * <pre>
 * ... - commit - publish (1)
 * </pre>
 *
 * In batch execution the end of the input has committed everything before it comes to the last
 * task. In streaming execution it has not, and such a sink is refused.
 */
final class PublishingSink extends CollectionSink
        implements SupportsPostCommitTopology<CollectionCommittable> {
    private static final long serialVersionUID = 1L;
    private static final String PUBLISH_UID = "loam-publish";

    private final CollectionPublication publication;

    PublishingSink(
            CollectionOpener opener,
            CollectionInfo collection,
            Ulid incarnation,
            StageOptions staging,
            CommitSettings commits,
            CollectionPublication publication) {
        super(opener, collection, incarnation, staging, commits);
        this.publication = publication;
    }

    @Override
    public void addPostCommitTopology(
            DataStream<CommittableMessage<CollectionCommittable>> committed) {
        if (!GraphChecks.isBatch(committed)) {
            throw new IllegalArgumentException(
                    "a collection is published at the end of a job in batch execution only");
        }
        committed
                .global()
                .transform(
                        "Publish " + publication.name(),
                        Types.VOID,
                        new PublishOperator(publication))
                .uid(PUBLISH_UID)
                .setParallelism(1)
                .setMaxParallelism(1);
    }
}
