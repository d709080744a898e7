package io.loam.codec.manifest;

import java.util.Arrays;
import java.util.HexFormat;

/** The bytes of a protobuf message that belongs to Lance, carried without being read. */
public final class OpaqueMessage {
    private final byte[] bytes;

    private OpaqueMessage(byte[] bytes) {
        this.bytes = bytes;
    }

    public static OpaqueMessage of(byte[] bytes) {
        return new OpaqueMessage(bytes.clone());
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpaqueMessage
                && Arrays.equals(bytes, ((OpaqueMessage) other).bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
