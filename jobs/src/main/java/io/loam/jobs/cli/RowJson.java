package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.store.spi.StoredRow;

import java.util.ArrayList;
import java.util.List;

/** A stored row as JSON. */
final class RowJson {
    private RowJson() {}

    static JsonOut of(StoredRow row) {
        JsonOut json =
                new JsonOut()
                        .put("pk", KeyText.json(row.key()))
                        .putUnsigned("row_id", row.rowId())
                        .put("partition", row.ingestPartition())
                        .putUnsigned("offset", row.ingestOffset());
        if (row.source() != null) {
            json.put("source", Json.parse(row.source()));
        }
        if (row.vectors() != null) {
            JsonOut vectors = new JsonOut();
            row.vectors().forEach((name, vector) -> vectors.put(name, floats(vector)));
            JsonOut sparse = new JsonOut();
            row.sparseVectors()
                    .forEach(
                            (name, vector) ->
                                    sparse.put(
                                            name,
                                            new JsonOut()
                                                    .put("indices", indices(vector.indices()))
                                                    .put("values", floats(vector.values()))));
            json.put("vectors", vectors).put("sparse_vectors", sparse);
        }
        return json;
    }

    private static List<Float> floats(float[] values) {
        List<Float> list = new ArrayList<>(values.length);
        for (float value : values) {
            list.add(value);
        }
        return list;
    }

    private static List<Long> indices(int[] values) {
        List<Long> list = new ArrayList<>(values.length);
        for (int value : values) {
            list.add(value & 0xffffffffL);
        }
        return list;
    }
}
