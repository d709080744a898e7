package io.loam.codec.lance;

import io.loam.codec.Ulid;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DataFileNameTest {
    @Test
    void aNameHoldsItsChecksum() {
        Ulid unit = new Ulid(0x0123456789abcdefL, 7);
        for (int crc : new int[] {0, 1, -1, Integer.MIN_VALUE, 0x00c0ffee}) {
            String name = DataFileName.of(unit, crc);
            assertThat(name).startsWith(unit.toString().toLowerCase(java.util.Locale.ROOT) + "-");
            assertThat(DataFileName.crc32c(name)).hasValue(crc);
            assertThat(DataFileName.crc32c("ns/1/collections/2/lance/data/" + name)).hasValue(crc);
        }
    }

    @Test
    void filesOfRowIdsHaveTheirOwnEnding() {
        String name = DataFileName.ofRowIds(new Ulid(1, 2), 0x00c0ffee);
        assertThat(name).endsWith("-00c0ffee.rowids");
        assertThat(DataFileName.isOfRowIds(name)).isTrue();
        assertThat(DataFileName.crc32c("lance/" + name)).hasValue(0x00c0ffee);
        assertThat(DataFileName.isOfRowIds(DataFileName.of(new Ulid(1, 2), 7))).isFalse();
        assertThat(DataFileName.isOfRowIds("data/" + name)).isFalse();
        assertThat(DataFileName.isOfRowIds("x.rowids")).isFalse();
    }

    @Test
    void namesOfOthersHaveNone() {
        assertThat(DataFileName.crc32c("01m8p32kf71rzpr32ng0q6rrxs.lance")).isEmpty();
        assertThat(DataFileName.crc32c("6b1f5f1e-98a5-4b3a-8f3e-0123456789ab.lance")).isEmpty();
        assertThat(DataFileName.crc32c("01m8p32kf71rzpr32ng0q6rrxs-0123456.lance")).isEmpty();
        assertThat(DataFileName.crc32c("01m8p32kf71rzpr32ng0q6rrxs-01234567.txt")).isEmpty();
        assertThat(DataFileName.crc32c("")).isEmpty();
    }
}
