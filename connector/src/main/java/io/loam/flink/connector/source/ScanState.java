package io.loam.flink.connector.source;

import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a scan has not handed out yet; the version is in its splits. */
record ScanState(List<CollectionSplit> open) {
    ScanState {
        open = List.copyOf(open);
    }

    /** The splits one after the other, as {@link SplitCodec} writes them. */
    static final class Codec implements SimpleVersionedSerializer<ScanState> {
        private static final int VERSION = 1;

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ScanState state) {
            ByteBuffer out = ByteBuffer.allocate(state.open.size() * SplitCodec.BYTES);
            state.open.forEach(split -> SplitCodec.write(split, out));
            return out.array();
        }

        @Override
        public ScanState deserialize(int version, byte[] bytes) throws IOException {
            if (version != VERSION) {
                throw new IOException("a scan's state of format " + version + ", not " + VERSION);
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            List<CollectionSplit> open = new ArrayList<>();
            while (in.hasRemaining()) {
                open.add(SplitCodec.read(in));
            }
            return new ScanState(open);
        }
    }
}
