package io.loam.tantivy;

import io.loam.codec.record.SparseVector;

import java.util.ArrayList;
import java.util.List;

/**
 * The terms of a document's sparse vector inside a split, beside its {@link
 * io.loam.codec.record.SparseWeights}.
 *
 * <pre>
 * terms = every index as u64, and 2^64 - 1 for "has a vector"
 * </pre>
 */
final class SparseTerms {
    /** The term of every document that has a vector; 2^64 - 1, unsigned. */
    static final long PRESENT = -1L;

    private SparseTerms() {}

    static List<Long> of(SparseVector vector) {
        List<Long> terms = new ArrayList<>(vector.indices().length + 1);
        for (int index : vector.indices()) {
            terms.add(Integer.toUnsignedLong(index));
        }
        terms.add(PRESENT);
        return terms;
    }
}
