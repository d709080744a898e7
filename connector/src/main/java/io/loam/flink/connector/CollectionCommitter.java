package io.loam.flink.connector;

import io.loam.codec.Ulid;
import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.flink.operators.Resources;
import io.loam.flink.operators.WriterNames;
import io.loam.store.FailPoint;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.FencedException;
import io.loam.store.commit.LinkApplyCommitter;

import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Publishes committables in the order of their checkpoints. Whatever cannot be published fails the
 * job: reporting a known reason to Flink instead would drop the data and go on. What can never be
 * published fails it without a restart.
 *
 * <p>Only one subtask ever gets committables, and after rescaling it may be another one. The
 * collection is therefore opened, and the lease taken, with the first of them.
 */
final class CollectionCommitter implements Committer<CollectionCommittable> {
    private static final Logger LOG = LoggerFactory.getLogger(CollectionCommitter.class);

    private final CollectionOpener opener;
    private final String collection;
    private final Ulid incarnation;
    private final CommitSettings settings;
    private final String jobName;
    private final OptionalLong restoredCheckpoint;
    @Nullable private OpenedCollection opened;
    @Nullable private LinkApplyCommitter committer;
    private volatile long lastCommitMs;
    private volatile long totalCommitMs;
    private volatile long publishedVersion;

    CollectionCommitter(
            CollectionOpener opener,
            String collection,
            Ulid incarnation,
            CommitSettings settings,
            CommitterInitContext context) {
        this.opener = opener;
        this.collection = collection;
        this.incarnation = incarnation;
        this.settings = settings;
        this.jobName = context.getJobInfo().getJobName();
        this.restoredCheckpoint = context.getRestoredCheckpointId();
        context.metricGroup().gauge("lastCommitMs", () -> lastCommitMs);
        context.metricGroup().gauge("commitMs", () -> totalCommitMs);
        context.metricGroup().gauge("publishedVersion", () -> publishedVersion);
    }

    @Override
    public void commit(Collection<CommitRequest<CollectionCommittable>> requests)
            throws IOException {
        List<CommitRequest<CollectionCommittable>> ordered = new ArrayList<>(requests);
        ordered.sort(
                Comparator.comparingLong(
                        (CommitRequest<CollectionCommittable> request) ->
                                request.getCommittable().checkpoint()));
        for (CommitRequest<CollectionCommittable> request : ordered) {
            commit(request);
        }
    }

    private void commit(CommitRequest<CollectionCommittable> request) throws IOException {
        CollectionCommittable committable = request.getCommittable();
        long started = System.nanoTime();
        CommitOutcome outcome;
        try {
            outcome = committer().commit(committable, isRecovered(committable));
        } catch (CommitRefusedException e) {
            throw new SuppressRestartsException(e);
        } catch (FencedException e) {
            if (e.byAnotherOwner()) {
                throw new SuppressRestartsException(e);
            }
            throw e; // by this job itself: an earlier attempt woke up, or it took over while it
            // opened
        }
        lastCommitMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
        totalCommitMs += lastCommitMs;
        report(request, outcome);
        FailPoint.PUBLISHED.reach();
    }

    private void report(CommitRequest<CollectionCommittable> request, CommitOutcome outcome) {
        CollectionCommittable committable = request.getCommittable();
        if (outcome instanceof CommitOutcome.Committed committed) {
            publishedVersion = committed.version();
            LOG.info(
                    "checkpoint {} is version {}, published in {} ms",
                    committable.checkpoint(),
                    committed.version(),
                    lastCommitMs);
        } else if (outcome instanceof CommitOutcome.AlreadyCommitted already) {
            publishedVersion = already.version();
            request.signalAlreadyCommitted();
        } else if (outcome instanceof CommitOutcome.Dropped dropped) {
            LOG.info("checkpoint {} is not needed: {}", committable.checkpoint(), dropped.reason());
            request.signalAlreadyCommitted();
        }
    }

    private boolean isRecovered(CollectionCommittable committable) {
        return !committable.incarnation().equals(incarnation)
                || (restoredCheckpoint.isPresent()
                        && committable.checkpoint() <= restoredCheckpoint.getAsLong());
    }

    private LinkApplyCommitter committer() throws IOException {
        if (committer == null) {
            opened = opener.open();
            String writer = WriterNames.writer(settings.writer(), jobName, collection);
            committer =
                    new LinkApplyCommitter(
                            opened.collection(),
                            settings.forOwner(WriterNames.owner(writer, incarnation)));
        }
        return committer;
    }

    @Override
    public void close() {
        Resources.close(committer, opened);
        committer = null;
        opened = null;
    }
}
