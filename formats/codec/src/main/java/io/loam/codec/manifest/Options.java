package io.loam.codec.manifest;

import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import javax.annotation.Nullable;

/** Postcard options: {@code 00} for nothing, {@code 01} and the value. */
final class Options {
    private Options() {}

    static void writeRowId(PostcardWriter out, @Nullable Long rowId) {
        out.bool(rowId != null);
        if (rowId != null) {
            out.u64(rowId);
        }
    }

    @Nullable
    static Long readRowId(PostcardReader in) {
        return in.option() ? Long.valueOf(in.u64()) : null;
    }

    static void writeBytes(PostcardWriter out, @Nullable byte[] bytes) {
        out.bool(bytes != null);
        if (bytes != null) {
            out.bytes(bytes);
        }
    }

    @Nullable
    static byte[] readBytes(PostcardReader in) {
        return in.option() ? in.bytes() : null;
    }
}
