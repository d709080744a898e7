package io.loam.flink.connector;

import io.loam.store.commit.CollectionCommittable;

import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.io.IOException;

/** Publishes a collection when all that was to be committed is; see {@link PublishingSink}. */
final class PublishOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<CommittableMessage<CollectionCommittable>, Void>,
                BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final CollectionPublication publication;

    PublishOperator(CollectionPublication publication) {
        this.publication = publication;
    }

    @Override
    public void processElement(StreamRecord<CommittableMessage<CollectionCommittable>> element) {
        // What was committed is in the collection; the end of it all is what counts.
    }

    @Override
    public void endInput() throws IOException {
        publication.publish();
    }
}
