package io.loam.flink.operators.maintain;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.Retention;
import io.loam.store.commit.CommitMode;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.trim.StreamLog;
import io.loam.store.trim.StreamTrimmer;
import io.loam.store.trim.TrimPlan;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Trims the streams of collections at every trigger. Those that nothing was applied to yet, and
 * those without a stream, are left out. Parallelism 1.
 */
@Internal
public final class TrimOperator extends CleaningOperator {
    private static final long serialVersionUID = 1L;

    private final CollectionSelection selection;
    private final StreamLogOpener logs;
    private final Retention retention;
    private final long maxClockSkewMs;

    /**
     * @param retention what versions stay, as garbage collection is set
     */
    public TrimOperator(
            WarehouseOpener opener,
            String owner,
            CollectionSelection selection,
            StreamLogOpener logs,
            Retention retention,
            long maxClockSkewMs) {
        super(opener, "loam-maintenance-trim", owner, "numRecordsTrimmed");
        this.selection = selection;
        this.logs = logs;
        this.retention = retention;
        this.maxClockSkewMs = maxClockSkewMs;
    }

    @Override
    List<CleaningReport> pass(String leaseOwner) {
        List<CleaningReport> reports = new ArrayList<>();
        try {
            for (CollectionInfo info : selection.find(warehouse().metastore())) {
                if (Thread.currentThread().isInterrupted()) {
                    break;
                }
                trim(info, leaseOwner, reports);
            }
        } catch (IOException e) {
            reports.add(CleaningReport.failed("the collections to trim", e.toString()));
        }
        return reports;
    }

    private void trim(CollectionInfo info, String leaseOwner, List<CleaningReport> reports) {
        String name = info.namespace() + "." + info.name();
        try (CollectionHandle handle = warehouse().open(info.id())) {
            CollectionManifest live = handle.live().manifest();
            if (live.version() == 0 || CommitMode.isDirect(live)) {
                return;
            }
            try (StreamLog log = logs.open(handle.info())) {
                TrimPlan plan =
                        new StreamTrimmer(handle, log, retention, maxClockSkewMs).run(leaseOwner);
                reports.add(
                        new CleaningReport(
                                name,
                                plan.goes(),
                                0,
                                plan.goes()
                                        + " offsets before version "
                                        + plan.oldestVersion()
                                        + " trimmed",
                                ""));
            }
        } catch (IOException | RuntimeException e) {
            reports.add(
                    isLeaseHeld(e)
                            ? new CleaningReport(name, 0, 0, e.getMessage(), "")
                            : CleaningReport.failed(name, e.toString()));
        }
    }
}
