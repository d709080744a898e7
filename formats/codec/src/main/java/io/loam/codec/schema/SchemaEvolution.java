package io.loam.codec.schema;

import java.util.List;

/** Which schema may follow another: fields and vectors are only appended, sparse vectors stay. */
public final class SchemaEvolution {
    private SchemaEvolution() {}

    /**
     * Checks that {@code next} may replace {@code current}.
     *
     * @throws SchemaException with rule {@code schema version mismatch}, {@code incompatible}, or a
     *     rule of {@link SchemaValidator}
     */
    public static void check(CollectionSchema current, CollectionSchema next) {
        if (next.version() != current.version() + 1) {
            throw new SchemaException(
                    "schema version mismatch",
                    "version "
                            + (current.version() + 1)
                            + " must follow version "
                            + current.version()
                            + ", not "
                            + next.version());
        }
        SchemaValidator.validate(next);
        startsWith("fields", current.fields(), next.fields());
        startsWith("vectors", current.vectors(), next.vectors());
        if (!next.sparseVectors().equals(current.sparseVectors())) {
            throw new SchemaException(
                    "incompatible", "sparse vectors are fixed when a collection is made");
        }
    }

    private static <T> void startsWith(String what, List<T> current, List<T> next) {
        if (next.size() < current.size() || !next.subList(0, current.size()).equals(current)) {
            throw new SchemaException(
                    "incompatible",
                    "the present " + what + " must stay as they are, in front; add others behind");
        }
    }
}
