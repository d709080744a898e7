package io.loam.flink.connector.source;

import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a scan has not handed out yet; the version is in its splits.
 *
 * @param scanned whether all rows of the version that is scanned before changes are behind
 */
record ScanState(boolean scanned, List<CollectionSplit> open) {
    ScanState {
        open = List.copyOf(open);
    }

    /**
     * Whether all rows are scanned u8, then the splits one after the other, as {@link SplitCodec}
     * writes them.
     */
    static final class Codec implements SimpleVersionedSerializer<ScanState> {
        private static final int VERSION = 1;

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ScanState state) {
            ByteBuffer out = ByteBuffer.allocate(1 + state.open.size() * SplitCodec.BYTES);
            out.put((byte) (state.scanned ? 1 : 0));
            state.open.forEach(split -> SplitCodec.write(split, out));
            return out.array();
        }

        @Override
        public ScanState deserialize(int version, byte[] bytes) throws IOException {
            if (version != VERSION || bytes.length == 0) {
                throw new IOException(
                        "a scan's state of "
                                + bytes.length
                                + " bytes and format "
                                + version
                                + ", not of format "
                                + VERSION);
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            byte scanned = in.get();
            if (scanned != 0 && scanned != 1) {
                throw new IOException("a scan's state begins with 0 or 1, not " + scanned);
            }
            List<CollectionSplit> open = new ArrayList<>();
            while (in.hasRemaining()) {
                open.add(SplitCodec.read(in));
            }
            return new ScanState(scanned == 1, open);
        }
    }
}
