package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectNotFoundException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Native code would end this process over some of these manifests. */
class LanceVersionCheckITCase {
    private static final String MANIFEST = "_versions/18446744073709551614.manifest";

    @TempDir Path directory;

    @Test
    void damagedManifestsAreReportedWithTheirPath() throws IOException {
        try (LocalObjectStore objects = LocalObjectStore.open(directory)) {
            LanceRowStore rows = new LanceRowStore(objects, "c/lance");
            rows.ensureDataset();
            Path manifest = directory.resolve("c/lance").resolve(MANIFEST);
            byte[] good = Files.readAllBytes(manifest);
            for (int length = 0; length < good.length; length++) {
                Files.write(manifest, Arrays.copyOf(good, length));
                assertThatThrownBy(() -> rows.open(1, null).close())
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining("c/lance/" + MANIFEST);
            }
            Files.write(manifest, new byte[good.length]);
            assertThatThrownBy(() -> rows.open(1, null).close())
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("c/lance/" + MANIFEST);
            Files.delete(manifest);
            assertThatThrownBy(() -> rows.open(1, null).close())
                    .isInstanceOf(ObjectNotFoundException.class)
                    .hasMessageContaining("c/lance/" + MANIFEST);
        }
    }
}
