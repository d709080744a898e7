package io.loam.codec;

import java.util.zip.CRC32C;

/** CRC-32C (Castagnoli), as every format of a collection uses it. */
public final class Crc32c {
    private Crc32c() {}

    public static int of(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
