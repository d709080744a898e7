package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.RecordCodec;

import javax.annotation.Nullable;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A record for each condition under which decoding must fail, in the order of its checks. */
record HostileRecord(String name, @Nullable byte[] key, @Nullable byte[] value) {
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] KEY = PrimaryKey.ofString("doc-1").canonical();

    static List<HostileRecord> all() {
        return List.of(
                new HostileRecord("no key", null, HEX.parseHex("01010205646f632d31")),
                new HostileRecord("no value", KEY, null),
                new HostileRecord("empty value", KEY, new byte[0]),
                new HostileRecord("16 MiB and a byte", KEY, large()),
                new HostileRecord("version 2", KEY, HEX.parseHex("02010205646f632d31")),
                new HostileRecord("bad record key", HEX.parseHex("096e6f"), HEX.parseHex("0101")),
                new HostileRecord("unknown variant", KEY, HEX.parseHex("01030205646f632d31")),
                new HostileRecord("truncated", KEY, HEX.parseHex("01010205646f632d")),
                new HostileRecord("bytes left over", KEY, HEX.parseHex("01010205646f632d3100")),
                new HostileRecord("bad inner key", KEY, HEX.parseHex("01000200027b7d0000")),
                new HostileRecord(
                        "dense value not finite",
                        KEY,
                        HEX.parseHex("01000205646f632d31027b7d010176010000807f00")),
                new HostileRecord(
                        "source is no object", KEY, HEX.parseHex("01000205646f632d31025b5d0000")),
                new HostileRecord(
                        "patch with a bad upsert",
                        KEY,
                        HEX.parseHex("01020205646f632d3100027b7d000000010205646f632d31025b5d0000")),
                new HostileRecord(
                        "another key",
                        PrimaryKey.ofString("doc-2").canonical(),
                        HEX.parseHex("01010205646f632d31")));
    }

    private static byte[] large() {
        byte[] value = new byte[RecordCodec.MAX_VALUE_BYTES + 1];
        Arrays.fill(value, (byte) 1);
        return value;
    }

    @Override
    public String toString() {
        return name;
    }
}
