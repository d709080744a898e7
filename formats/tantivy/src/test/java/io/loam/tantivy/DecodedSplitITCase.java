package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.store.spi.DecodedValues;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whatever documents have in a split is found in it without the engine. */
class DecodedSplitITCase {
    private static final Field TITLE = TestSplits.text("title", "standard");
    private static final Field TAG = TestSplits.field("tag", new FieldKind.Keyword());
    private static final Field JSON = TestSplits.field("payload", new FieldKind.Json());
    private static final CollectionSchema SCHEMA =
            TestSplits.schema(
                    List.of(TITLE, TAG, JSON), List.of(new SparseField("s", Modifier.NONE)));

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();

    /** All that is handed out. */
    private static final class Kept implements DecodedValues {
        private final Set<String> values = new HashSet<>();
        private long blockBytes;

        @Override
        public void value(byte[] value) {
            values.add(new String(value, StandardCharsets.ISO_8859_1));
        }

        @Override
        public void values(byte[] bytes) {
            blockBytes += bytes.length;
        }

        boolean holds(byte[] value) {
            return values.contains(new String(value, StandardCharsets.ISO_8859_1));
        }

        boolean holds(String text) {
            return holds(text.getBytes(StandardCharsets.UTF_8));
        }

        boolean anyHolds(String text) {
            return values.stream().anyMatch(value -> value.contains(text));
        }
    }

    private Kept decode(TantivySplitStore splits, SplitRef ref) throws IOException {
        Kept kept = new Kept();
        splits.decode(TestSplits.path(ref.ulid()), kept);
        return kept;
    }

    private static Document document(int i, Random random) {
        return TestSplits.document(
                "key-" + i,
                "{\"title\":\"word"
                        + i
                        + " common "
                        + Long.toString(random.nextLong() >>> 1, 36)
                        + "\",\"tag\":\"tag-of-"
                        + i
                        + "\",\"payload\":{\"inner\":\"inside"
                        + i
                        + "\"}}",
                Map.of("s", new SparseVector(new int[] {i, i + 7}, new float[] {1, i})));
    }

    @Test
    void everyKeyAndTermIsHandedOut() throws IOException {
        for (int size : new int[] {1, 3, 5_000}) {
            Random random = new Random(size);
            List<Document> documents = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                documents.add(document(i, random));
            }
            try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
                SplitRef ref = TestSplits.build(splits, objects, SCHEMA, work, documents);
                Kept kept = decode(splits, ref);
                for (int i = 0; i < size; i++) {
                    assertThat(kept.holds(PrimaryKey.ofString("key-" + i).canonical())).isTrue();
                    assertThat(kept.holds("word" + i)).isTrue();
                    assertThat(kept.holds("tag-of-" + i)).isTrue();
                    assertThat(kept.anyHolds("inside" + i)).isTrue();
                    long rowId = TestSplits.FIRST_ROW_ID + i;
                    assertThat(kept.holds(ByteBuffer.allocate(Long.BYTES).putLong(rowId).array()))
                            .isTrue();
                }
                assertThat(kept.holds("word" + size)).isFalse();
                assertThat(kept.blockBytes).isGreaterThan(size * 16L);
            }
        }
    }

    @Test
    void damageIsReported() throws IOException {
        try (TantivySplitStore splits = new TantivySplitStore(objects, TestSplits.ROOT)) {
            SplitRef ref =
                    TestSplits.build(
                            splits, objects, SCHEMA, work, List.of(document(1, new Random(1))));
            byte[] whole = objects.get(TestSplits.path(ref.ulid()));
            for (int length = 0; length < whole.length; length += 7) {
                byte[] cut = java.util.Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> DecodedSplit.read("x", cut, new Kept()))
                        .isInstanceOf(CorruptException.class);
            }
            // What is flipped into what depends on the id of the split, so there are many.
            Random random = new Random(7);
            for (int i = 0; i < 20_000; i++) {
                byte[] flipped = whole.clone();
                flipped[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
                try {
                    DecodedSplit.read("x", flipped, new Kept());
                } catch (CorruptException e) {
                    assertThat(e).hasMessageStartingWith("x");
                }
            }
        }
    }
}
