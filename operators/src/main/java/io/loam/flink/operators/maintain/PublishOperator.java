package io.loam.flink.operators.maintain;

import io.loam.codec.manifest.TaskKeys;
import io.loam.flink.operators.Resources;
import io.loam.flink.operators.maintain.RoundReport.Fate;
import io.loam.flink.operators.maintain.RoundReport.TaskReport;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceLease;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;

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

/**
 * Publishes rounds: once all results of one are there, what is finished becomes one version.
 * Parallelism 1. Keeps a round's lease from when it hears of the round until it is published.
 */
@Internal
public final class PublishOperator extends BackgroundOperator<RoundReport>
        implements TwoInputStreamOperator<OpenedRound, TaskResult, RoundReport> {
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
        @Nullable MaintenanceLease lease;
        final List<TaskResult> results = new ArrayList<>();

        boolean isComplete() {
            return round != null && results.size() == round.tasks();
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
        gathering.lease =
                MaintenanceLease.resume(
                                warehouse().metastore(),
                                TaskKeys.lease(TaskKeys.mergeSplits(round.collectionId())),
                                round.epoch(),
                                options.withOwner(round.round()))
                        .extended();
        publishIfComplete(round.round(), gathering);
    }

    @Override
    public void processElement2(StreamRecord<TaskResult> element) {
        String round = element.getValue().round();
        Gathering gathering = rounds.computeIfAbsent(round, name -> new Gathering());
        gathering.results.add(element.getValue());
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

    private RoundReport publish(Gathering gathering) {
        OpenedRound round = gathering.round;
        try (MaintenanceLease lease = gathering.lease) {
            List<FinishedWork> works = new ArrayList<>();
            for (TaskResult result : gathering.results) {
                if (result.work() != null) {
                    works.add(result.work());
                }
            }
            if (works.isEmpty()) {
                return report(gathering, new MaintenanceOutcome(0, List.of()), "");
            }
            try (CollectionHandle handle = warehouse().open(round.collectionId())) {
                return report(
                        gathering,
                        new MaintenanceCommitter(handle, options.withOwner(round.round()), lease)
                                .publish(works),
                        "");
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("a round of {} could not be published", round.collection(), e);
            return report(
                    gathering,
                    new MaintenanceOutcome(0, List.of()),
                    String.valueOf(e.getMessage()));
        }
    }

    private static RoundReport report(
            Gathering gathering, MaintenanceOutcome outcome, String problem) {
        List<TaskReport> tasks = new ArrayList<>();
        for (TaskResult result : gathering.results) {
            if (result.work() == null) {
                tasks.add(
                        new TaskReport(
                                result.obsolete() ? Fate.OBSOLETE : Fate.FAILED,
                                result.task().describe() + ": " + result.problem()));
            } else if (!problem.isEmpty()) {
                tasks.add(new TaskReport(Fate.FAILED, result.task().describe()));
            }
        }
        for (MaintenanceOutcome.Result work : outcome.works()) {
            tasks.add(
                    new TaskReport(
                            switch (work.fate()) {
                                case PUBLISHED -> Fate.PUBLISHED;
                                case ABANDONED -> Fate.OBSOLETE;
                                case BLOCKED -> Fate.BLOCKED;
                            },
                            work.text()));
        }
        return new RoundReport(gathering.round.collection(), outcome.version(), tasks, problem);
    }

    private void emit(RoundReport report) {
        for (TaskReport task : report.tasks()) {
            switch (task.fate()) {
                case PUBLISHED -> published.inc();
                case OBSOLETE -> abandoned.inc();
                case BLOCKED -> blocked.inc();
                default -> {}
            }
        }
        if (!report.problem().isEmpty()) {
            failures.inc();
        }
        if (report.version() != 0) {
            lastVersion = report.version();
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
            rounds.values().forEach(gathering -> Resources.close(gathering.lease));
        }
    }
}
