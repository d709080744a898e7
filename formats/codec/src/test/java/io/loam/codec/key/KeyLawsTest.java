package io.loam.codec.key;

import io.loam.codec.json.Json;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.Arrays;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** Keys have one encoding each, and their order is that of the encodings. */
public class KeyLawsTest {
    /** Keys of every kind. */
    public static Arbitrary<PrimaryKey> key() {
        Arbitrary<PrimaryKey> numbers = Arbitraries.longs().map(PrimaryKey::ofU64);
        Arbitrary<PrimaryKey> uuids =
                Combinators.combine(Arbitraries.longs(), Arbitraries.longs())
                        .as((a, b) -> PrimaryKey.ofUuid(new UUID(a, b)));
        Arbitrary<PrimaryKey> strings =
                Arbitraries.strings()
                        .withCharRange('\u0000', '\ud7ff')
                        .withCharRange('\ue000', '\uffff')
                        .ofMinLength(1)
                        .ofMaxLength(20)
                        .map(text -> text.length() % 4 == 3 ? text + "\ud83d\ude00" : text)
                        .map(PrimaryKey::ofString);
        return Arbitraries.oneOf(numbers, uuids, strings);
    }

    @Provide
    Arbitrary<PrimaryKey> keys() {
        return key();
    }

    @Property
    void canonicalBytesGiveTheKeyBack(@ForAll("keys") PrimaryKey key) {
        assertThat(PrimaryKey.parseCanonical(key.canonical().clone())).isEqualTo(key);
        PrimaryKey made =
                switch (key.kind()) {
                    case U64 -> PrimaryKey.ofU64(key.u64());
                    case UUID -> PrimaryKey.ofUuid(key.uuid());
                    default -> PrimaryKey.ofString(key.string());
                };
        assertThat(made).isEqualTo(key).hasSameHashCodeAs(key);
        assertThat(KeyJson.fromJson(Json.parse(Json.print(KeyJson.toJson(key))))).isEqualTo(key);
    }

    @Property
    void theOrderIsTotalAndThatOfTheBytes(
            @ForAll("keys") PrimaryKey a,
            @ForAll("keys") PrimaryKey b,
            @ForAll("keys") PrimaryKey c) {
        int order = Integer.signum(a.compareTo(b));
        assertThat(Integer.signum(b.compareTo(a))).isEqualTo(-order);
        assertThat(order == 0).isEqualTo(a.equals(b));
        assertThat(Integer.signum(Arrays.compareUnsigned(a.canonical(), b.canonical())))
                .isEqualTo(order);
        if (order <= 0 && b.compareTo(c) <= 0) {
            assertThat(a.compareTo(c)).isNotPositive();
        }
    }

    @Property
    void numbersAndTextsKeepTheirOwnOrder(
            @ForAll long x,
            @ForAll long y,
            @ForAll("keys") PrimaryKey a,
            @ForAll("keys") PrimaryKey b) {
        assertThat(Integer.signum(PrimaryKey.ofU64(x).compareTo(PrimaryKey.ofU64(y))))
                .isEqualTo(Integer.signum(Long.compareUnsigned(x, y)));
        if (a.kind() != b.kind()) {
            assertThat(Integer.signum(a.compareTo(b)))
                    .isEqualTo(Integer.signum(a.kind().compareTo(b.kind())));
        } else if (a.kind() == PrimaryKey.Kind.STR) {
            int[] left = a.string().codePoints().toArray();
            int[] right = b.string().codePoints().toArray();
            assertThat(Integer.signum(a.compareTo(b)))
                    .isEqualTo(Integer.signum(Arrays.compare(left, right)));
        }
    }

    @Property
    void everyKeyHasOnePartition(@ForAll("keys") PrimaryKey key) {
        for (int partitions : new int[] {1, 2, 7, 4096}) {
            int partition = Partitioner.partitionOf(key, partitions);
            assertThat(partition).isBetween(0, partitions - 1);
            assertThat(
                            Partitioner.partitionOf(
                                    PrimaryKey.parseCanonical(key.canonical().clone()), partitions))
                    .isEqualTo(partition);
        }
    }
}
