package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FileChecksumTest {
    private static final String PATH = "ns/1/collections/1/pkdelta/1-X.pkd";

    private static byte[] delta(long row) {
        return PkDeltaCodec.encode(
                new PkDelta(List.of(new PkDelta.Entry(PrimaryKey.ofU64(1), row))));
    }

    @Test
    void anotherObjectUnderTheNameIsRefused() {
        String checksum = FileChecksum.of(PATH, delta(5));
        assertThat(checksum).startsWith("1-X.pkd:");
        FileChecksum.check(Map.of("p", checksum), "p", PATH, delta(5));
        assertThatThrownBy(() -> FileChecksum.check(Map.of("p", checksum), "p", PATH, delta(6)))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(PATH);
    }

    @Test
    void nothingIsSaidOfOthers() {
        FileChecksum.check(Map.of(), "p", PATH, delta(6));
        FileChecksum.check(
                Map.of("p", FileChecksum.of("a/2-Y.pkd", delta(5))), "p", PATH, delta(6));
    }
}
