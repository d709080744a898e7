package io.loam.codec.postcard;

import io.loam.codec.manifest.Seeds;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

/** Whatever the bytes are, reading gives values or a {@link PostcardException}. */
class PostcardRobustnessTest {
    private static final List<Consumer<PostcardReader>> READS =
            List.of(
                    PostcardReader::u8,
                    PostcardReader::bool,
                    PostcardReader::option,
                    PostcardReader::u16,
                    PostcardReader::u32,
                    PostcardReader::u64,
                    PostcardReader::f32,
                    PostcardReader::bytes,
                    PostcardReader::string,
                    reader -> reader.count(4),
                    reader -> reader.raw(7),
                    PostcardReader::expectEnd);

    @Test
    void randomBytesGiveValuesOrTheFormatsError() {
        Random random = Seeds.random(getClass());
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            int from = random.nextInt(bytes.length + 1);
            int to = from + random.nextInt(bytes.length - from + 1);
            PostcardReader reader = new PostcardReader(bytes, from, to);
            try {
                for (int n = 0; n < 8; n++) {
                    READS.get(random.nextInt(READS.size())).accept(reader);
                    assertThat(reader.remaining()).isBetween(0, to - from);
                }
            } catch (PostcardException expected) {
                assertThat(expected).hasMessageNotContaining("null");
            } catch (RuntimeException e) {
                fail(Arrays.toString(bytes) + " from " + from + " to " + to, e);
            }
        }
    }

    @Test
    void lengthsBeyondTheInputAllocateNothing() {
        for (long length : new long[] {1L << 60, -1, Integer.MAX_VALUE, 17}) {
            byte[] bomb = new PostcardWriter().u64(length).raw(new byte[16]).toByteArray();
            assertThatThrownBy(() -> new PostcardReader(bomb).bytes())
                    .isInstanceOf(PostcardException.class)
                    .hasMessageContaining(Long.toUnsignedString(length))
                    .hasMessageContaining("16 bytes are left");
            assertThatThrownBy(() -> new PostcardReader(bomb).string())
                    .isInstanceOf(PostcardException.class);
            assertThatThrownBy(() -> new PostcardReader(bomb).count(1))
                    .isInstanceOf(PostcardException.class);
        }
    }

    @Test
    void tagsAndLeftoversAreChecked() {
        byte[] two = {2, 0};
        assertThatThrownBy(() -> new PostcardReader(two).bool())
                .isInstanceOf(PostcardException.class)
                .hasMessage("a bool is 0 or 1, not 2");
        assertThatThrownBy(() -> new PostcardReader(two).option())
                .isInstanceOf(PostcardException.class)
                .hasMessage("an option's tag is 0 or 1, not 2");
        assertThatThrownBy(() -> new PostcardReader(two).expectEnd())
                .isInstanceOf(PostcardException.class)
                .hasMessage("2 bytes are left over");
    }
}
