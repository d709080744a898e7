package io.loam.codec.record;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.SparseVectorException.Reason;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class SparseGoldenTest {
    private static final Golden FILE = Golden.file("sparse.json");

    private record Error(Reason reason, String message) {}

    private static final Map<String, Error> ERRORS =
            Map.of(
                    "DuplicateIndex(1)", new Error(Reason.DUPLICATE_INDEX, "index 1 "),
                    "LengthMismatch(1,0)",
                            new Error(Reason.LENGTH_MISMATCH, "1 indices but 0 values"),
                    "NonFinite(1)", new Error(Reason.NON_FINITE, "index 1 "),
                    "NonFinite(2)", new Error(Reason.NON_FINITE, "index 2 "));

    static List<Golden> canonicalise() {
        return FILE.get("canonicalise").list();
    }

    static List<Golden> weights() {
        return FILE.get("weights").list();
    }

    static List<Golden> corrupt() {
        return FILE.get("weights_corrupt").list();
    }

    @ParameterizedTest
    @MethodSource("canonicalise")
    void canonicalises(Golden golden) {
        int[] indices = GoldenDocuments.indices(golden.get("indices"));
        float[] values = GoldenDocuments.floats(golden.get("values"));
        if (golden.has("result")) {
            Golden result = golden.get("result");
            SparseVector vector = SparseVectors.canonical(indices, values);
            assertThat(vector.indices()).isEqualTo(GoldenDocuments.indices(result.get("indices")));
            assertThat(vector.values()).isEqualTo(GoldenDocuments.floats(result.get("values")));
            return;
        }
        Error expected = ERRORS.get(golden.get("error").text());
        assertThat(expected).as(golden.get("error").text()).isNotNull();
        SparseVectorException e =
                catchThrowableOfType(
                        SparseVectorException.class,
                        () -> SparseVectors.canonical(indices, values));
        assertThat(e.reason()).isEqualTo(expected.reason());
        assertThat(e).hasMessageContaining(expected.message());
    }

    @ParameterizedTest
    @MethodSource("weights")
    void weightsRoundTrip(Golden golden) {
        SparseVector vector = GoldenDocuments.sparse(golden);
        assertThat(SparseWeights.encode(vector)).isEqualTo(golden.get("hex").hex());
        assertThat(SparseWeights.decode(golden.get("hex").hex())).isEqualTo(vector);
    }

    @ParameterizedTest
    @MethodSource("corrupt")
    void corruptWeightsAreRefused(Golden golden) {
        byte[] bytes = golden.get("hex").hex();
        assertThatThrownBy(() -> SparseWeights.decode(bytes)).isInstanceOf(CorruptException.class);
    }
}
