package io.loam.codec.lance;

import io.loam.codec.CorruptException;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class VectorModelTest {
    private static final VectorModel MODEL =
            new VectorModel(
                    3, new float[] {1, -2, 0.5f, 4, 5, 6}, new float[] {7, Float.MIN_VALUE});

    @Test
    void comesBackAsItWas() {
        VectorModel read = VectorModel.decode(MODEL.encode(), "x");
        assertThat(read.dimension()).isEqualTo(3);
        assertThat(read.partitions()).isEqualTo(2);
        assertThat(read.centroids()).isEqualTo(MODEL.centroids());
        assertThat(read.codebook()).isEqualTo(MODEL.codebook());
        VectorModel bare = new VectorModel(1, new float[] {1}, new float[0]);
        assertThat(VectorModel.decode(bare.encode(), "x").codebook()).isEmpty();
    }

    @Test
    void everyDamageIsNoticed() {
        byte[] sound = MODEL.encode();
        for (int i = 0; i < sound.length; i++) {
            byte[] flipped = sound.clone();
            flipped[i] ^= 1;
            assertThatThrownBy(() -> VectorModel.decode(flipped, "the/path"))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("the/path");
            byte[] cut = Arrays.copyOf(sound, i);
            assertThatThrownBy(() -> VectorModel.decode(cut, "the/path"))
                    .isInstanceOf(CorruptException.class);
        }
    }

    @Test
    void centroidsAreWholeVectors() {
        assertThatThrownBy(() -> new VectorModel(4, new float[6], new float[0]))
                .hasMessageContaining("6 numbers are no centroids of 4 dimensions");
        assertThatThrownBy(() -> new VectorModel(0, new float[6], new float[0]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new VectorModel(4, new float[0], new float[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
