package io.loam.flink.connector.source;

import io.loam.flink.operators.CollectionOpener;

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

import java.io.IOException;

/**
 * Reads one version of a collection, all of its rows once: the newest of the moment the job starts,
 * or a given one. Or reads what changes, from version to version, without an end: each key whose
 * row changed once per version, as an insertion, a deletion, or the row before and after. A
 * restarted job goes on where its checkpoint stood.
 */
@PublicEvolving
public final class CollectionSource<T>
        implements Source<T, CollectionSplit, ScanState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1L;

    private final CollectionOpener opener;
    private final RowConverter<T> converter;
    private final ScanSettings settings;

    CollectionSource(CollectionOpener opener, RowConverter<T> converter, ScanSettings settings) {
        this.opener = opener;
        this.converter = converter;
        this.settings = settings;
    }

    /** Starts a source. */
    public static <T> CollectionSourceBuilder<T> builder(
            CollectionOpener opener, RowConverter<T> converter) {
        return new CollectionSourceBuilder<>(opener, converter);
    }

    @Override
    public Boundedness getBoundedness() {
        return settings.mode().isUnbounded()
                ? Boundedness.CONTINUOUS_UNBOUNDED
                : Boundedness.BOUNDED;
    }

    @Override
    public SplitEnumerator<CollectionSplit, ScanState> createEnumerator(
            SplitEnumeratorContext<CollectionSplit> context) throws IOException {
        return new ScanEnumerator(
                context,
                ScanPlanner.plan(opener, settings, context.currentParallelism()),
                settings.mode().isUnbounded());
    }

    @Override
    public SplitEnumerator<CollectionSplit, ScanState> restoreEnumerator(
            SplitEnumeratorContext<CollectionSplit> context, ScanState state) {
        return new ScanEnumerator(context, state, settings.mode().isUnbounded());
    }

    @Override
    public SourceReader<T, CollectionSplit> createReader(SourceReaderContext context) {
        return new ScanReader<>(
                positions ->
                        new ScanSplitReader(opener, converter.projection(), settings, positions),
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
