package io.loam.flink.connector.source;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Splits and scans as they stand in checkpoints. */
class SplitCodecTest {
    private static final CollectionSplit SPLIT = new CollectionSplit(300, 2, 8, 70_000);
    private static final String BYTES = "000000000000012c00000002000000080000000000011170";

    @Test
    void theBytesArePinned() throws IOException {
        SplitCodec codec = new SplitCodec();
        assertThat(HexFormat.of().formatHex(codec.serialize(SPLIT))).isEqualTo(BYTES);
        assertThat(codec.deserialize(1, HexFormat.of().parseHex(BYTES))).isEqualTo(SPLIT);
        ScanState state = new ScanState(List.of(SPLIT, SPLIT.at(0)));
        ScanState.Codec states = new ScanState.Codec();
        byte[] written = states.serialize(state);
        assertThat(HexFormat.of().formatHex(written)).startsWith(BYTES);
        assertThat(states.deserialize(1, written)).isEqualTo(state);
    }

    @Test
    void whatIsNoSplitIsRefused() {
        SplitCodec codec = new SplitCodec();
        byte[] bytes = codec.serialize(SPLIT);
        assertThatThrownBy(() -> codec.deserialize(2, bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format 2");
        assertThatThrownBy(() -> codec.deserialize(1, Arrays.copyOf(bytes, 23)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> new ScanState.Codec().deserialize(1, Arrays.copyOf(bytes, 30)))
                .isInstanceOf(IOException.class)
                .hasMessage("a split is cut off");
        for (int at : new int[] {0, 8, 12, 16}) {
            byte[] negative = bytes.clone();
            negative[at] = (byte) 0x80;
            assertThatThrownBy(() -> codec.deserialize(1, negative))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no split can be");
        }
    }
}
