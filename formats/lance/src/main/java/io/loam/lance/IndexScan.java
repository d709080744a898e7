package io.loam.lance;

import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.lance.Dataset;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.ScanOptions;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** A scan that goes by an index. */
final class IndexScan {
    private IndexScan() {}

    /**
     * The ids of the rows it finds, ascending and each once: an index may know rows of a fragment
     * that it does not cover, which then come twice.
     *
     * @param options of a scan with row ids
     * @param index is named if it fails
     */
    static long[] rowIds(Dataset dataset, ScanOptions options, VersionFiles files, String index)
            throws IOException {
        Set<Long> ids = new TreeSet<>();
        try (LanceScanner scanner = dataset.newScan(options);
                ArrowReader reader = scanner.scanBatches()) {
            while (reader.loadNextBatch()) {
                UInt8Vector column =
                        (UInt8Vector) reader.getVectorSchemaRoot().getVector(LanceSchemas.ROW_ID);
                for (int i = 0; i < column.getValueCount(); i++) {
                    ids.add(column.get(i));
                }
            }
        } catch (Exception e) { // native code throws checked ones undeclared
            throw files.indexFailure(index, e);
        }
        return ids.stream().mapToLong(Long::longValue).toArray();
    }
}
