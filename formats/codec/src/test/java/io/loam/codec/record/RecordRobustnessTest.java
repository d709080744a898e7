package io.loam.codec.record;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.Golden;
import io.loam.codec.manifest.Seeds;
import io.loam.codec.postcard.PostcardWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

/** Whatever the bytes are, decoding gives an operation or a {@link RecordException}. */
class RecordRobustnessTest {
    private static final long BOMB = 1L << 60;

    static List<Golden> records() {
        return RecordGoldenTest.roundTrips();
    }

    @ParameterizedTest
    @MethodSource("records")
    void everyTruncationIsRefused(Golden golden) {
        byte[] key = golden.get("key_hex").hex();
        byte[] value = golden.get("value_hex").hex();
        for (int length = 0; length < value.length; length++) {
            byte[] cut = Arrays.copyOf(value, length);
            assertThatThrownBy(() -> RecordCodec.decode(key, cut))
                    .isInstanceOf(RecordException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void everyFlippedBitDecodesOrIsRefused(Golden golden) {
        byte[] key = golden.get("key_hex").hex();
        byte[] value = golden.get("value_hex").hex();
        for (int bit = 0; bit < value.length * 8; bit++) {
            byte[] flipped = value.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            decodesOrIsRefused(key, flipped);
        }
    }

    @Test
    void randomBytesDecodeOrAreRefused() {
        Random random = Seeds.random(getClass());
        List<Golden> records = records();
        for (int i = 0; i < 50_000; i++) {
            Golden golden = records.get(random.nextInt(records.size()));
            byte[] value = golden.get("value_hex").hex();
            int from = random.nextInt(value.length);
            for (int n = random.nextInt(4) + 1; n > 0 && from < value.length; n--) {
                value[from++] = (byte) random.nextInt();
            }
            decodesOrIsRefused(golden.get("key_hex").hex(), value);
            byte[] noise = new byte[random.nextInt(40)];
            random.nextBytes(noise);
            if (noise.length > 0) {
                noise[0] = 1;
            }
            decodesOrIsRefused(noise.length > 9 ? Arrays.copyOf(noise, 9) : noise, noise);
        }
    }

    @Test
    void lengthsBeyondTheInputAllocateNothing() {
        byte[] key = PrimaryKey.ofU64(1).canonical();
        PostcardWriter upsert = new PostcardWriter().u8(1).size(0).size(0).u64(1);
        List<PostcardWriter> bombs =
                List.of(
                        new PostcardWriter().u8(1).size(1).size(2).u64(BOMB),
                        copy(upsert).u64(BOMB),
                        copy(upsert).string("{}").u64(BOMB),
                        copy(upsert).string("{}").size(1).string("v").u64(BOMB),
                        copy(upsert).string("{}").size(0).u64(BOMB),
                        copy(upsert).string("{}").size(0).size(1).string("s").u64(BOMB),
                        copy(upsert).string("{}").size(0).size(1).string("s").size(0).u64(BOMB),
                        new PostcardWriter()
                                .u8(1)
                                .size(2)
                                .size(0)
                                .u64(1)
                                .size(0)
                                .string("{}")
                                .u64(BOMB),
                        copy(upsert).u64(-1),
                        copy(upsert).u64(Integer.MAX_VALUE));
        for (PostcardWriter bomb : bombs) {
            assertThatThrownBy(() -> RecordCodec.decode(key, bomb.raw(new byte[16]).toByteArray()))
                    .isInstanceOfSatisfying(
                            RecordException.class,
                            e ->
                                    assertThat(e.reason())
                                            .isEqualTo(RecordException.Reason.MALFORMED));
        }
    }

    private static PostcardWriter copy(PostcardWriter prefix) {
        return new PostcardWriter().raw(prefix.toByteArray());
    }

    private static void decodesOrIsRefused(byte[] key, byte[] value) {
        try {
            RecordCodec.encode(RecordCodec.decode(key, value));
        } catch (RecordException expected) {
            assertThat(expected.reason()).isNotNull();
        } catch (RuntimeException e) {
            fail("key " + Arrays.toString(key) + ", value " + Arrays.toString(value), e);
        }
    }
}
