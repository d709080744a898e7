package io.loam.flink.connector;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.store.chain.ManifestChain;
import io.loam.store.verify.LogReader;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts on a collection, or a log, that something else changed in the meantime. */
class ChangedCollectionStartsITCase extends PipelineTestBase {
    @Test
    void rebuildsAfterTheKeyDeltasWereCollected() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String old = savepoint(job);
        apply(workload.changes(100));
        apply(workload.changes(100));
        cancel(job);
        Map<String, byte[]> deltas = collectKeyDeltas();
        assertThat(deltas.size()).isGreaterThanOrEqualTo(3);
        job = start(job().from(old));
        apply(workload.changes(100));
        assertThat(rebuildMs(job)).isPositive();
        for (Map.Entry<String, byte[]> delta : deltas.entrySet()) {
            handle().objects().put(delta.getKey(), delta.getValue()); // for the verifier
        }
        stopAndCheck(job, "old savepoint, key deltas collected");
    }

    /** Deletes the key deltas of the retained chain; returns what they were. */
    private Map<String, byte[]> collectKeyDeltas() throws IOException {
        Map<String, byte[]> deltas = new HashMap<>();
        for (ManifestChain.Link link : ManifestChain.of(handle()).retained()) {
            String path = link.manifest().pkDelta();
            if (!path.isEmpty()) {
                deltas.put(path, handle().objects().get(path));
                handle().objects().delete(path);
            }
        }
        return deltas;
    }

    @Test
    void startsOnAMaintainedCollection() throws Exception {
        Maintenance maintenance = new Maintenance(handle(), directory);
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String old = savepoint(job);
        apply(workload.changes(100));
        maintenance.merge(); // under a running job
        apply(workload.changes(100));
        send(workload.changes(50));
        String stopped = stop(job, false);
        CollectionManifest merged = maintenance.merge();
        assertThat(merged.kind()).isEqualTo(CommitKind.MAINTENANCE);

        job = start(job().from(stopped));
        apply(workload.changes(100));
        assertThat(rebuildMs(job)).isZero();
        stopAndCheck(job, "stopped job, maintained since");

        maintenance.merge();
        job = start(job().from(old));
        apply(workload.changes(100));
        assertThat(rebuildMs(job)).isZero();
        stopAndCheck(job, "old savepoint, maintained twice since");

        maintenance.merge();
        job = start(job());
        apply(workload.changes(100));
        stopAndCheck(job, "no state, maintained");
    }

    @Test
    void countsWhatTheLogNoLongerHolds() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String stopped = stop(job, false);
        Map<Integer, Long> applied = live().applied();
        send(workload.changes(200));
        Map<Integer, List<LogReader.LogRecord>> log = readLog();
        Map<Integer, Long> begins = new TreeMap<>();
        long skipped = 0;
        for (Map.Entry<Integer, Long> from : applied.entrySet()) {
            long begin = from.getValue() + 10 + from.getKey();
            begins.put(from.getKey(), begin);
            skipped += begin - from.getValue();
            log.get(from.getKey())
                    .removeIf(
                            record ->
                                    record.offset() >= from.getValue() && record.offset() < begin);
        }
        broker().deleteRecords(collection.topic(), begins);

        job = start(job().from(stopped));
        awaitApplied();
        assertThat(live().skippedOffsetsTotal()).isEqualTo(skipped);
        assertThat(metric(job, "numSkippedOffsets")).isEqualTo(skipped);
        stop(job, false);
        VerifyReport verified = verifyAgainst(log);
        report(
                "stream",
                "savepoint, log trimmed beyond it",
                same(verified) + ", " + skipped + " offsets counted as skipped");
    }

    @Test
    void countsWhatTheLogNoLongerHoldsWithoutState() throws Exception {
        send(workload.upserts(200));
        Map<Integer, List<LogReader.LogRecord>> log = readLog();
        broker().deleteRecords(collection.topic(), Map.of(0, 7L, 2, 9L));
        log.get(0).removeIf(record -> record.offset() < 7);
        log.get(2).removeIf(record -> record.offset() < 9);
        JobClient job = start(job());
        awaitApplied();
        stop(job, false);
        assertThat(live().skippedOffsetsTotal()).isEqualTo(16);
        report(
                "stream",
                "no state, log trimmed",
                same(verifyAgainst(log)) + ", 16 offsets counted as skipped");
    }

    private Map<Integer, List<LogReader.LogRecord>> readLog() throws Exception {
        Map<Integer, List<LogReader.LogRecord>> records = new HashMap<>();
        try (LogReader log = broker().log(collection.topic())) {
            for (Map.Entry<Integer, Long> end : ends().entrySet()) {
                List<LogReader.LogRecord> partition = new ArrayList<>();
                log.read(end.getKey(), end.getValue(), partition::add);
                records.put(end.getKey(), partition);
            }
        }
        return records;
    }

    private VerifyReport verifyAgainst(Map<Integer, List<LogReader.LogRecord>> records)
            throws Exception {
        VerifyReport verified = Verifier.againstLog(handle(), new KeptLog(records));
        assertThat(verified.violations()).isEmpty();
        assertThat(verified.skipped()).isEmpty();
        return verified;
    }

    /** Records as a test kept them. */
    private record KeptLog(Map<Integer, List<LogRecord>> records) implements LogReader {
        @Override
        public long startOffset(int partition) {
            return 0;
        }

        @Override
        public void read(int partition, long end, Sink sink) throws IOException {
            for (LogRecord record : records.get(partition)) {
                if (record.offset() < end) {
                    sink.accept(record);
                }
            }
        }

        @Override
        public void close() {}
    }
}
