package io.loam.flink.connector.maintenance;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import javax.annotation.Nullable;

import java.time.Duration;

/**
 * Numbers at an interval, the first at once, or one number only. It has no splits and no state:
 * triggers that a failure swallows are made up for by the next. Parallelism 1.
 */
final class TriggerSource implements Source<Long, NoSplit, Void>, ResultTypeQueryable<Long> {
    private static final long serialVersionUID = 1L;

    @Nullable private final Duration interval;

    /**
     * @param interval null for one trigger and the end
     */
    TriggerSource(@Nullable Duration interval) {
        this.interval = interval;
    }

    @Override
    public Boundedness getBoundedness() {
        return interval == null ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<Long, NoSplit> createReader(SourceReaderContext context) {
        return new TriggerReader(interval);
    }

    @Override
    public SplitEnumerator<NoSplit, Void> createEnumerator(
            SplitEnumeratorContext<NoSplit> context) {
        return new NoSplit.Enumerator();
    }

    @Override
    public SplitEnumerator<NoSplit, Void> restoreEnumerator(
            SplitEnumeratorContext<NoSplit> context, @Nullable Void checkpoint) {
        return new NoSplit.Enumerator();
    }

    @Override
    public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
        return new NoSplit.EmptySerializer<>();
    }

    @Override
    public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
        return new NoSplit.EmptySerializer<>();
    }

    @Override
    public TypeInformation<Long> getProducedType() {
        return Types.LONG;
    }
}
