package io.loam.codec.record;

import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.record.Operation.PatchMode;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads the bodies of {@link RecordCodec}; what they mean is {@link RawOperation}'s to check. */
final class RecordBodyReader {
    private static final PatchMode[] MODES = PatchMode.values();

    private final PostcardReader in;

    RecordBodyReader(PostcardReader in) {
        this.in = in;
    }

    RawOperation operation() {
        int variant = in.u32();
        switch (variant) {
            case 0:
                return new RawOperation(RawOperation.Kind.UPSERT, document(), null, null);
            case 1:
                return new RawOperation(RawOperation.Kind.DELETE, null, key(), null);
            case 2:
                return new RawOperation(RawOperation.Kind.PATCH, null, null, patch());
            default:
                throw new PostcardException(
                        "unknown operation " + Integer.toUnsignedString(variant));
        }
    }

    /** Canonical bytes, valid but for the length of a string. */
    private byte[] key() {
        int variant = in.u32();
        switch (variant) {
            case 0:
                return ByteBuffer.allocate(9).put((byte) 1).putLong(in.u64()).array();
            case 1:
                return ByteBuffer.allocate(17).put((byte) 2).put(in.raw(16)).array();
            case 2:
                byte[] text = in.string().getBytes(java.nio.charset.StandardCharsets.UTF_8);
                return ByteBuffer.allocate(1 + text.length).put((byte) 3).put(text).array();
            default:
                throw new PostcardException(
                        "unknown kind of key " + Integer.toUnsignedString(variant));
        }
    }

    private RawOperation.RawDocument document() {
        byte[] key = key();
        byte[] source = in.bytes();
        return new RawOperation.RawDocument(
                key, source, map(2, this::floats), map(3, this::sparse));
    }

    private RawOperation.RawPatch patch() {
        byte[] key = key();
        int mode = in.u32();
        if (mode < 0 || mode >= MODES.length) {
            throw new PostcardException("unknown patch mode " + Integer.toUnsignedString(mode));
        }
        byte[] source = in.bytes();
        int paths = in.count(1);
        List<String> deleteKeys = new ArrayList<>(paths);
        for (int i = 0; i < paths; i++) {
            deleteKeys.add(in.string());
        }
        return new RawOperation.RawPatch(
                key,
                MODES[mode],
                source,
                deleteKeys,
                map(2, () -> option(this::floats)),
                map(2, () -> option(this::sparse)),
                option(this::document));
    }

    private <T> Optional<T> option(Supplier<T> value) {
        return in.option() ? Optional.of(value.get()) : Optional.empty();
    }

    /** A repeated name keeps its last value. */
    private <T> Map<String, T> map(int bytesEach, Supplier<T> value) {
        int count = in.count(bytesEach);
        Map<String, T> map = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            map.put(in.string(), value.get());
        }
        return map;
    }

    private float[] floats() {
        float[] values = new float[in.count(4)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.f32();
        }
        return values;
    }

    private SparseVector sparse() {
        int[] indices = new int[in.count(1)];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = in.u32();
        }
        return SparseVectors.canonical(indices, floats());
    }
}
