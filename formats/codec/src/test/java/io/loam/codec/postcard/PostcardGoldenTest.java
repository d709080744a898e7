package io.loam.codec.postcard;

import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.GoldenDocuments;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PostcardGoldenTest {
    private static final Golden FILE = Golden.file("postcard.json");

    static List<Golden> varints() {
        return FILE.get("unsigned_varint").list();
    }

    static List<Golden> floats() {
        return FILE.get("f32").list();
    }

    static List<Golden> strings() {
        return FILE.get("string").list();
    }

    static List<Golden> options() {
        return FILE.get("option_u64").list();
    }

    static List<Golden> bools() {
        return FILE.get("bool").list();
    }

    @ParameterizedTest
    @MethodSource("varints")
    void varint(Golden golden) {
        long value = golden.get("value").u64();
        assertThat(new PostcardWriter().u64(value).toByteArray()).isEqualTo(hex(golden));
        PostcardReader reader = new PostcardReader(hex(golden));
        assertThat(reader.u64()).isEqualTo(value);
        reader.expectEnd();
        if (Long.compareUnsigned(value, 0xffffffffL) <= 0) {
            assertThat(new PostcardReader(hex(golden)).u32()).isEqualTo((int) value);
        }
    }

    @ParameterizedTest
    @CsvSource({"u16", "u32", "u64_and_usize"})
    void varintLimits(String type) {
        Golden limits = FILE.get("varint_limits").get(type);
        ToLongFunction<PostcardReader> read =
                switch (type) {
                    case "u16" -> PostcardReader::u16;
                    case "u32" -> PostcardReader::u32;
                    default -> PostcardReader::u64;
                };
        byte[] widest = new byte[(int) limits.get("max_bytes").u64()];
        Arrays.fill(widest, (byte) 0xff);
        int last = (int) limits.get("max_last_byte").u64();
        widest[widest.length - 1] = (byte) last;
        read.applyAsLong(new PostcardReader(widest));
        widest[widest.length - 1] = (byte) (last + 1);
        refused(read, widest);
        byte[] longer = Arrays.copyOf(widest, widest.length + 1);
        longer[widest.length - 1] = (byte) 0x80;
        refused(read, longer);
        byte[] padded = new byte[widest.length];
        Arrays.fill(padded, 0, padded.length - 1, (byte) 0x80);
        assertThat(read.applyAsLong(new PostcardReader(padded))).isZero();
    }

    private static void refused(ToLongFunction<PostcardReader> read, byte[] bytes) {
        assertThatThrownBy(() -> read.applyAsLong(new PostcardReader(bytes)))
                .isInstanceOf(PostcardException.class);
    }

    @ParameterizedTest
    @MethodSource("floats")
    void f32(Golden golden) {
        float value = GoldenDocuments.number(golden.get("value"));
        assertThat(new PostcardWriter().f32(value).toByteArray()).isEqualTo(hex(golden));
        assertThat(Float.floatToRawIntBits(new PostcardReader(hex(golden)).f32()))
                .isEqualTo(Float.floatToRawIntBits(value));
    }

    @ParameterizedTest
    @MethodSource("strings")
    void string(Golden golden) {
        String value = golden.get("value").text();
        assertThat(new PostcardWriter().string(value).toByteArray()).isEqualTo(hex(golden));
        assertThat(new PostcardReader(hex(golden)).string()).isEqualTo(value);
    }

    @ParameterizedTest
    @MethodSource("options")
    void option(Golden golden) {
        PostcardReader reader = new PostcardReader(hex(golden));
        boolean present = !golden.get("value").isNull();
        assertThat(reader.option()).isEqualTo(present);
        PostcardWriter writer = new PostcardWriter().bool(present);
        if (present) {
            long value = golden.get("value").u64();
            assertThat(reader.u64()).isEqualTo(value);
            writer.u64(value);
        }
        reader.expectEnd();
        assertThat(writer.toByteArray()).isEqualTo(hex(golden));
    }

    @ParameterizedTest
    @MethodSource("bools")
    void bool(Golden golden) {
        boolean value = ((JsonBoolean) golden.get("value").value()).value();
        assertThat(new PostcardWriter().bool(value).toByteArray()).isEqualTo(hex(golden));
        assertThat(new PostcardReader(hex(golden)).bool()).isEqualTo(value);
    }

    @Test
    void fixedArraysHaveNoLength() {
        assertThat(FILE.get("fixed_16_byte_array").text()).isEqualTo("16 raw bytes, no length");
        byte[] bytes = new byte[16];
        Arrays.setAll(new Byte[16], i -> bytes[i] = (byte) i);
        assertThat(new PostcardWriter().raw(bytes).toByteArray()).isEqualTo(bytes);
        assertThat(new PostcardReader(bytes).raw(16)).isEqualTo(bytes);
    }

    @Test
    void structsHaveNoFraming() {
        Golden entry = FILE.get("hotcache_slice_entry");
        PostcardReader reader = new PostcardReader(hex(entry));
        PostcardWriter writer = new PostcardWriter();
        for (String field : List.of("start", "stop", "addr")) {
            assertThat(reader.u64()).isEqualTo(entry.get(field).u64());
            writer.u64(entry.get(field).u64());
        }
        reader.expectEnd();
        assertThat(writer.toByteArray()).isEqualTo(hex(entry));
    }

    private static byte[] hex(Golden golden) {
        return golden.get("hex").hex();
    }
}
