package io.loam.flink.connector.source;

import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Emits the rows of splits, and asks for the next split when it has none. */
final class ScanReader<T>
        extends SingleThreadMultiplexSourceReaderBase<
                ScannedRow, T, CollectionSplit, ScanReader.Position> {

    /** How far a split has been emitted. */
    static final class Position {
        private final CollectionSplit split;
        private long version;
        private long emitted;

        Position(CollectionSplit split) {
            this.split = split;
            this.version = split.version();
            this.emitted = split.emitted();
        }
    }

    /** Is told, once all rows before were emitted, that a split has a version behind it. */
    @FunctionalInterface
    interface VersionListener {
        void done(String split, long version);
    }

    /** Positions of splits by id; used by the task's thread only. */
    private final Map<String, Position> positions;

    ScanReader(
            Function<VersionListener, SplitReader<ScannedRow, CollectionSplit>> reader,
            RowConverter<T> converter,
            SourceReaderContext context) {
        this(new HashMap<>(), reader, converter, context);
    }

    private ScanReader(
            Map<String, Position> positions,
            Function<VersionListener, SplitReader<ScannedRow, CollectionSplit>> reader,
            RowConverter<T> converter,
            SourceReaderContext context) {
        super(
                () -> reader.apply((split, version) -> reach(positions.get(split), version)),
                (row, output, position) -> {
                    output.collect(
                            row.row() == null
                                    ? converter.count(row.count())
                                    : converter.convert(row.kind(), row.row(), row.version()));
                    position.emitted++;
                },
                new Configuration(),
                context);
        this.positions = positions;
    }

    private static void reach(Position position, long version) {
        position.version = version;
        position.emitted = 0;
    }

    @Override
    public void start() {
        askIfFree();
    }

    @Override
    protected void onSplitFinished(Map<String, Position> finished) {
        positions.keySet().removeAll(finished.keySet());
        askIfFree();
    }

    private void askIfFree() {
        if (getNumberOfCurrentlyAssignedSplits() == 0) {
            context.sendSplitRequest();
        }
    }

    @Override
    protected Position initializedState(CollectionSplit split) {
        Position position = new Position(split);
        positions.put(split.splitId(), position);
        return position;
    }

    @Override
    protected CollectionSplit toSplitType(String id, Position position) {
        return position.split.at(position.version, position.emitted);
    }
}
