package io.loam.codec.manifest;

import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import javax.annotation.Nullable;

/** Postcard options: {@code 00} for nothing, {@code 01} and the value. */
public final class OptionCodec {
    private OptionCodec() {}

    public static void writeU64(PostcardWriter out, @Nullable Long value) {
        out.bool(value != null);
        if (value != null) {
            out.u64(value);
        }
    }

    @Nullable
    public static Long readU64(PostcardReader in) {
        return in.option() ? Long.valueOf(in.u64()) : null;
    }

    public static void writeBytes(PostcardWriter out, @Nullable byte[] bytes) {
        out.bool(bytes != null);
        if (bytes != null) {
            out.bytes(bytes);
        }
    }

    @Nullable
    public static byte[] readBytes(PostcardReader in) {
        return in.option() ? in.bytes() : null;
    }
}
