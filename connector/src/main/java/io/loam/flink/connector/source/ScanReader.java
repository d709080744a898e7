package io.loam.flink.connector.source;

import io.loam.store.spi.StoredRow;

import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;

import java.util.Map;
import java.util.function.Supplier;

/** Emits the rows of splits, and asks for the next split when one is done. */
final class ScanReader<T>
        extends SingleThreadMultiplexSourceReaderBase<
                StoredRow, T, CollectionSplit, ScanReader.Position> {

    /** How far a split has been emitted. */
    static final class Position {
        private final CollectionSplit split;
        private long emitted;

        Position(CollectionSplit split) {
            this.split = split;
            this.emitted = split.emitted();
        }
    }

    ScanReader(
            Supplier<SplitReader<StoredRow, CollectionSplit>> reader,
            RowConverter<T> converter,
            SourceReaderContext context) {
        super(
                reader,
                (row, output, position) -> {
                    output.collect(converter.convert(row, position.split.version()));
                    position.emitted++;
                },
                new Configuration(),
                context);
    }

    @Override
    public void start() {
        if (getNumberOfCurrentlyAssignedSplits() == 0) {
            context.sendSplitRequest();
        }
    }

    @Override
    protected void onSplitFinished(Map<String, Position> finished) {
        context.sendSplitRequest();
    }

    @Override
    protected Position initializedState(CollectionSplit split) {
        return new Position(split);
    }

    @Override
    protected CollectionSplit toSplitType(String id, Position position) {
        return position.split.at(position.emitted);
    }
}
