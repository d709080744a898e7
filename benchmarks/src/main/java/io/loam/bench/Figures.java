package io.loam.bench;

import io.loam.bench.ingest.CheckpointOfRows;
import io.loam.bench.ingest.IngestLimit;
import io.loam.bench.ingest.ReadAfterUpdates;
import io.loam.bench.ingest.RowsOnly;
import io.loam.bench.job.ColdStart;
import io.loam.bench.job.Freshness;
import io.loam.bench.job.FullLoadMemory;
import io.loam.bench.job.GrowthCost;
import io.loam.bench.job.IndexRebuilt;
import io.loam.bench.job.Scaling;
import io.loam.bench.store.ColdOpen;
import io.loam.bench.store.CommitTime;
import io.loam.bench.store.PatchReads;

import java.util.List;

/** Every figure, in order. */
final class Figures {
    private Figures() {}

    static List<Figure> all() {
        return List.of(
                new IngestLimit(),
                new CheckpointOfRows(),
                new RowsOnly(),
                new ReadAfterUpdates(),
                new CommitTime(),
                new Freshness(),
                new GrowthCost(),
                new PatchReads(),
                new IndexRebuilt(),
                new ColdStart(),
                new FullLoadMemory(),
                new ColdOpen(),
                new Scaling());
    }
}
