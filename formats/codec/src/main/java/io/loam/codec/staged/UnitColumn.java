package io.loam.codec.staged;

import java.io.Serializable;

/**
 * A vector column that a unit's data file holds, by name; field ids are the committer's business.
 *
 * @param column {@code _vector_<i>} or {@code _sparse_<j>}
 * @param dimension of a dense column; 0 for a sparse one
 */
public record UnitColumn(String column, int dimension) implements Serializable {
    private static final long serialVersionUID = 1L;

    public boolean sparse() {
        return dimension == 0;
    }
}
