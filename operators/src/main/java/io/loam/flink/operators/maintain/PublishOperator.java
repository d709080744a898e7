package io.loam.flink.operators.maintain;

import io.loam.flink.operators.Resources;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;
import io.loam.store.maintain.RoundLeases;
import io.loam.store.maintain.RoundReport;
import io.loam.store.maintain.RoundReport.Status;
import io.loam.store.maintain.TaskResult;

import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Publishes rounds: once all results of one are there, what is finished becomes one version.
 * Parallelism 1. Keeps a round's leases from when it hears of the round until it is published.
 */
@Internal
public final class PublishOperator extends BackgroundOperator<MaintenanceReport>
        implements TwoInputStreamOperator<OpenedRound, RoundPart, MaintenanceReport> {
    private static final long serialVersionUID = 1L;

    private final MaintenanceOptions options;
    private transient Map<String, Gathering> rounds;
    private transient Counter published;
    private transient Counter abandoned;
    private transient Counter blocked;
    private transient Counter failures;
    private transient long lastVersion;

    public PublishOperator(WarehouseOpener opener, MaintenanceOptions options) {
        super(opener, "loam-maintenance-publish", 1);
        this.options = options;
    }

    /** A round of which not all has come; its results may come before itself. */
    private static final class Gathering {
        @Nullable OpenedRound round;
        @Nullable RoundLeases leases;
        final List<TaskResult> results = new ArrayList<>();

        boolean isComplete() {
            return round != null && results.size() == round.tasks();
        }

        List<FinishedWork> works() {
            return results.stream().map(TaskResult::work).filter(Objects::nonNull).toList();
        }

        /** As none of them was published. */
        List<TaskResult> failed(Exception why) {
            return results.stream()
                    .map(
                            result ->
                                    result.work() == null
                                            ? result
                                            : new TaskResult(
                                                    result.task(), null, why.toString(), false))
                    .toList();
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        rounds = new HashMap<>();
        published = getMetricGroup().counter("numTasksPublished");
        abandoned = getMetricGroup().counter("numTasksAbandoned");
        blocked = getMetricGroup().counter("numTasksBlocked");
        failures = getMetricGroup().counter("numPublishesFailed");
        getMetricGroup().gauge("openRounds", () -> rounds.size());
        getMetricGroup().gauge("lastPublishedVersion", () -> lastVersion);
    }

    @Override
    public void processElement1(StreamRecord<OpenedRound> element) {
        OpenedRound round = element.getValue();
        Gathering gathering = rounds.computeIfAbsent(round.round(), name -> new Gathering());
        gathering.round = round;
        gathering.leases =
                RoundLeases.resume(
                                warehouse().metastore(),
                                round.leases(),
                                options.withOwner(round.round()))
                        .extended();
        publishIfComplete(round.round(), gathering);
    }

    @Override
    public void processElement2(StreamRecord<RoundPart> element) {
        String round = element.getValue().round();
        Gathering gathering = rounds.computeIfAbsent(round, name -> new Gathering());
        gathering.results.add(element.getValue().result());
        publishIfComplete(round, gathering);
    }

    private void publishIfComplete(String name, Gathering gathering) {
        if (gathering.isComplete()) {
            inBackground(
                    () -> publish(gathering),
                    report -> {
                        rounds.remove(name);
                        emit(report);
                    });
        }
    }

    private MaintenanceReport publish(Gathering gathering) {
        OpenedRound round = gathering.round;
        try (RoundLeases leases = gathering.leases) {
            MaintenanceOutcome outcome = publish(round, gathering.works(), leases);
            return new MaintenanceReport(
                    round.collection(), RoundReport.of(gathering.results, outcome, List.of()), "");
        } catch (IOException | RuntimeException e) {
            LOG.warn("a round of {} could not be published", round.collection(), e);
            return new MaintenanceReport(
                    round.collection(),
                    RoundReport.of(gathering.failed(e), MaintenanceOutcome.NOTHING, List.of()),
                    e.toString());
        }
    }

    private MaintenanceOutcome publish(
            OpenedRound round, List<FinishedWork> works, RoundLeases leases) throws IOException {
        if (works.isEmpty()) {
            return MaintenanceOutcome.NOTHING;
        }
        try (CollectionHandle handle = warehouse().open(round.collectionId());
                MaintenanceCommitter committer =
                        new MaintenanceCommitter(
                                handle, options.withOwner(round.round()), leases.fence())) {
            return committer.publish(works);
        }
    }

    private void emit(MaintenanceReport report) {
        RoundReport round = report.round();
        published.inc(round.count(Status.PUBLISHED));
        abandoned.inc(round.count(Status.ABANDONED));
        blocked.inc(round.count(Status.BLOCKED));
        if (!report.problem().isEmpty()) {
            failures.inc();
        }
        if (round.version() != 0) {
            lastVersion = round.version();
        }
        if (report.isTroubled()) {
            LOG.warn("{}", report);
        } else {
            LOG.info("{}", report);
        }
        output.collect(new StreamRecord<>(report));
    }

    /** The next planner need not wait for the leases of a job that ended to run out. */
    @Override
    void releaseAll() {
        if (rounds != null) {
            rounds.values().forEach(gathering -> Resources.close(gathering.leases));
        }
    }
}
