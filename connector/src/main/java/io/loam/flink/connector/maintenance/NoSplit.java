package io.loam.flink.connector.maintenance;

import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import javax.annotation.Nullable;

import java.util.List;

/** The split of a source that has none. */
final class NoSplit implements SourceSplit {
    private NoSplit() {}

    @Override
    public String splitId() {
        throw new IllegalStateException("there are no splits");
    }

    /** Assigns nothing. */
    static final class Enumerator implements SplitEnumerator<NoSplit, Void> {
        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, @Nullable String host) {}

        @Override
        public void addSplitsBack(List<NoSplit> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {}

        @Override
        public Void snapshotState(long checkpoint) {
            return null;
        }

        @Override
        public void close() {}
    }

    /** Nothing, in no bytes. */
    static final class EmptySerializer<T> implements SimpleVersionedSerializer<T> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(@Nullable T nothing) {
            return new byte[0];
        }

        @Override
        public T deserialize(int version, byte[] bytes) {
            return null;
        }
    }
}
