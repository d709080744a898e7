package io.loam.bench.ingest;

import io.loam.bench.Arm;

import java.nio.file.Path;
import java.util.Map;

/** Arguments that arms of this package share, typed. */
record Arguments(Map<String, String> values) {
    static final String INPUT = "input";
    static final String PARALLELISM = "parallelism";
    static final String CHECKPOINT_MS = "checkpointMs";
    static final String TEXT = "text";
    static final String VECTORS = "vectors";
    static final String DIMENSION = "dimension";

    Path directory() {
        return Path.of(values.get(Arm.DIRECTORY));
    }

    Path input() {
        return Path.of(values.get(INPUT));
    }

    int number(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the arm needs " + name + ", it has " + values);
        }
        return Integer.parseInt(value);
    }

    boolean is(String name) {
        return Boolean.parseBoolean(values.get(name));
    }
}
