package io.loam.flink.connector.source;

import io.loam.flink.connector.source.CollectionSplit.Kind;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Splits and scans as they stand in checkpoints. */
class SplitCodecTest {
    private static final CollectionSplit CHANGES =
            CollectionSplit.changes(300, 2, 8).at(301, 70_000);
    private static final CollectionSplit FILE = CollectionSplit.of(Kind.FILE, 7, 4_000_000_000L);
    private static final String CHANGES_BYTES =
            "04000000000000012d0000000000000002000000080000000000011170";
    private static final String FILE_BYTES =
            "00000000000000000700000000ee6b2800000000000000000000000000";

    @Test
    void theBytesArePinned() throws IOException {
        SplitCodec codec = new SplitCodec();
        assertThat(HexFormat.of().formatHex(codec.serialize(CHANGES))).isEqualTo(CHANGES_BYTES);
        assertThat(codec.deserialize(1, HexFormat.of().parseHex(CHANGES_BYTES))).isEqualTo(CHANGES);
        assertThat(HexFormat.of().formatHex(codec.serialize(FILE))).isEqualTo(FILE_BYTES);
        assertThat(codec.deserialize(1, HexFormat.of().parseHex(FILE_BYTES))).isEqualTo(FILE);
        ScanState state = new ScanState(true, List.of(FILE, CHANGES));
        ScanState.Codec states = new ScanState.Codec();
        byte[] written = states.serialize(state);
        assertThat(HexFormat.of().formatHex(written)).isEqualTo("01" + FILE_BYTES + CHANGES_BYTES);
        assertThat(states.deserialize(1, written)).isEqualTo(state);
    }

    @Test
    void theOrderOfKindsIsPinned() {
        assertThat(Kind.values())
                .containsExactly(Kind.FILE, Kind.MATCHES, Kind.KEYS, Kind.COUNT, Kind.CHANGES);
    }

    @Test
    void whatIsNoSplitIsRefused() {
        SplitCodec codec = new SplitCodec();
        byte[] bytes = codec.serialize(CHANGES);
        assertThatThrownBy(() -> codec.deserialize(2, bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format 2");
        assertThatThrownBy(() -> codec.deserialize(1, Arrays.copyOf(bytes, 28)))
                .isInstanceOf(IOException.class);
        byte[] state = new ScanState.Codec().serialize(new ScanState(false, List.of(FILE, FILE)));
        assertThatThrownBy(() -> new ScanState.Codec().deserialize(1, Arrays.copyOf(state, 50)))
                .isInstanceOf(IOException.class)
                .hasMessage("a split is cut off");
        assertThatThrownBy(() -> new ScanState.Codec().deserialize(1, new byte[0]))
                .isInstanceOf(IOException.class);
        for (int at : new int[] {0, 1, 9, 17, 21}) {
            byte[] negative = bytes.clone();
            negative[at] = (byte) 0x80;
            assertThatThrownBy(() -> codec.deserialize(1, negative))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no split");
        }
        byte[] parted = codec.serialize(FILE);
        parted[20] = 1;
        assertThatThrownBy(() -> codec.deserialize(1, parted))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no split can be");
    }
}
