package io.loam.flink.connector.source;

import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.read.CollectionReader;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads one version of a collection, all of its rows once: the newest of the moment the job starts,
 * or a given one. A restarted job goes on with the same version where its checkpoint stood.
 */
@PublicEvolving
public final class CollectionSource<T>
        implements Source<T, CollectionSplit, ScanState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1L;

    /** So that a slow share of the files does not keep all the others waiting. */
    private static final int SPLITS_PER_SUBTASK = 4;

    private final CollectionOpener opener;
    private final RowConverter<T> converter;
    @Nullable private final Long version;
    private final long limit;

    /**
     * @param version null for the newest
     * @param limit rows that are enough; more may come, up to so many of each subtask
     */
    public CollectionSource(
            CollectionOpener opener,
            RowConverter<T> converter,
            @Nullable Long version,
            long limit) {
        this.opener = opener;
        this.converter = converter;
        this.version = version;
        this.limit = limit;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SplitEnumerator<CollectionSplit, ScanState> createEnumerator(
            SplitEnumeratorContext<CollectionSplit> context) throws IOException {
        return new ScanEnumerator(context, plan(context.currentParallelism()));
    }

    private ScanState plan(int parallelism) throws IOException {
        try (OpenedCollection opened = opener.open();
                CollectionReader reader =
                        version == null
                                ? CollectionReader.openAsOfHandle(opened.collection())
                                : CollectionReader.open(opened.collection(), version)) {
            long found = reader.manifest().version();
            int parts = reader.count() == 0 ? 0 : SPLITS_PER_SUBTASK * parallelism;
            List<CollectionSplit> splits =
                    IntStream.range(0, parts)
                            .mapToObj(part -> new CollectionSplit(found, part, parts, 0))
                            .toList();
            return new ScanState(splits);
        }
    }

    @Override
    public SplitEnumerator<CollectionSplit, ScanState> restoreEnumerator(
            SplitEnumeratorContext<CollectionSplit> context, ScanState state) {
        return new ScanEnumerator(context, state);
    }

    @Override
    public SourceReader<T, CollectionSplit> createReader(SourceReaderContext context) {
        return new ScanReader<>(
                () -> new ScanSplitReader(opener, converter.projection(), limit),
                converter,
                context);
    }

    @Override
    public SimpleVersionedSerializer<CollectionSplit> getSplitSerializer() {
        return new SplitCodec();
    }

    @Override
    public SimpleVersionedSerializer<ScanState> getEnumeratorCheckpointSerializer() {
        return new ScanState.Codec();
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return converter.getProducedType();
    }
}
