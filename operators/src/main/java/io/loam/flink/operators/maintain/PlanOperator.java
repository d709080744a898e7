package io.loam.flink.operators.maintain;

import io.loam.store.CollectionHandle;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenancePlanner;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.RoundLeases;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * At every trigger, plans a round for each collection that has something to do and no round of
 * anybody under way. Parallelism 1. A trigger that finds the last one's planning at work is
 * dropped.
 */
@Internal
public final class PlanOperator extends BackgroundOperator<TaskOrder>
        implements OneInputStreamOperator<Long, TaskOrder> {
    /** What the publisher must know of each round. */
    public static final OutputTag<OpenedRound> ROUNDS =
            new OutputTag<>("rounds", MessageTypes.ROUND);

    private static final long serialVersionUID = 1L;

    private final CollectionSelection selection;
    private final MaintenanceOptions options;
    private transient boolean planning;
    private transient Counter triggersSkipped;
    private transient Counter roundsPlanned;
    private transient Counter plansFailed;

    public PlanOperator(
            WarehouseOpener opener, CollectionSelection selection, MaintenanceOptions options) {
        super(opener, "loam-maintenance-plan", 1);
        this.selection = selection;
        this.options = options;
    }

    /** A round and its tasks. */
    private record Planned(OpenedRound round, List<TaskOrder> orders) {}

    @Override
    public void open() throws Exception {
        super.open();
        triggersSkipped = getMetricGroup().counter("numTriggersSkipped");
        roundsPlanned = getMetricGroup().counter("numRoundsPlanned");
        plansFailed = getMetricGroup().counter("numPlansFailed");
    }

    @Override
    public void processElement(StreamRecord<Long> trigger) {
        if (planning) {
            triggersSkipped.inc();
            return;
        }
        planning = true;
        inBackground(this::planAll, this::emit);
    }

    private List<Planned> planAll() {
        List<Planned> planned = new ArrayList<>();
        try {
            for (CollectionInfo info : selection.find(warehouse().metastore())) {
                plan(info).ifPresent(planned::add);
            }
        } catch (IOException e) {
            failed("the collections to maintain could not be listed", e);
        }
        return planned;
    }

    private Optional<Planned> plan(CollectionInfo info) {
        String name = info.namespace() + "." + info.name();
        try (CollectionHandle handle = warehouse().open(info.id())) {
            return plan(handle, name);
        } catch (IOException | RuntimeException e) {
            failed("collection " + name + " could not be planned for", e);
            return Optional.empty();
        }
    }

    /** The leases go on to the publisher with the round, or back if there is nothing to do. */
    private Optional<Planned> plan(CollectionHandle handle, String name) throws IOException {
        long collection = handle.info().id();
        String round = options.owner() + "/" + UUID.randomUUID();
        RoundLeases leases = RoundLeases.acquire(handle, options.withOwner(round));
        leases.held().forEach(held -> LOG.debug("of {}, {}", name, held));
        boolean handedOver = false;
        try {
            List<TaskOrder> orders = new ArrayList<>();
            if (!leases.isEmpty()) {
                for (MaintenanceTask task : new MaintenancePlanner(options).plan(handle)) {
                    if (leases.allow(task, collection)) {
                        orders.add(new TaskOrder(round, collection, task));
                    }
                }
            }
            if (orders.isEmpty()) {
                return Optional.empty();
            }
            handedOver = true;
            return Optional.of(
                    new Planned(
                            new OpenedRound(round, collection, name, leases.taken(), orders.size()),
                            orders));
        } finally {
            if (!handedOver) {
                leases.close();
            }
        }
    }

    /** The next trigger tries again. */
    private void failed(String what, Exception e) {
        plansFailed.inc();
        LOG.warn("{}", what, e);
    }

    private void emit(List<Planned> planned) {
        planning = false;
        for (Planned round : planned) {
            roundsPlanned.inc();
            output.collect(ROUNDS, new StreamRecord<>(round.round()));
            round.orders().forEach(order -> output.collect(new StreamRecord<>(order)));
        }
    }
}
