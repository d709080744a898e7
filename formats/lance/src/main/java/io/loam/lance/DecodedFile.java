package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.store.spi.DecodedValues;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.lance.file.LanceFileReader;

import java.io.IOException;
import java.util.Map;

/**
 * Everything a file in Lance's format holds, whichever columns it has: data files, and the files of
 * indexes. Binary and text values are handed out one by one, numbers as they lie in memory.
 */
final class DecodedFile {
    private static final int BATCH = 1024;

    private DecodedFile() {}

    /** Whether a file's name says that it is in Lance's format. */
    static boolean isLance(String file) {
        return file.endsWith(".lance") || file.endsWith(".idx");
    }

    /**
     * @param file for messages
     */
    static void read(
            String uri,
            Map<String, String> options,
            BufferAllocator allocator,
            String file,
            DecodedValues into)
            throws IOException {
        try (LanceFileReader reader = LanceFileReader.open(uri, options, allocator)) {
            if (reader.numRows() == 0) {
                return;
            }
            try (ArrowReader batches = reader.readAll(null, null, BATCH)) {
                while (batches.loadNextBatch()) {
                    VectorSchemaRoot root = batches.getVectorSchemaRoot();
                    for (FieldVector vector : root.getFieldVectors()) {
                        read(vector, into);
                    }
                }
            }
        } catch (IOException e) {
            throw new CorruptException(file + ": " + e.getMessage(), e);
        } catch (CorruptException e) {
            throw e;
        } catch (Exception e) { // native code throws checked ones undeclared
            throw new CorruptException(file + ": " + e.getMessage(), e);
        }
    }

    private static void read(FieldVector vector, DecodedValues into) throws IOException {
        if (vector instanceof BaseVariableWidthVector values) {
            for (int i = 0; i < values.getValueCount(); i++) {
                if (!values.isNull(i)) {
                    ArrowBuf offsets = values.getOffsetBuffer();
                    int from = offsets.getInt((long) i * Integer.BYTES);
                    int to = offsets.getInt((long) (i + 1) * Integer.BYTES);
                    byte[] value = new byte[to - from];
                    values.getDataBuffer().getBytes(from, value);
                    into.value(value);
                }
            }
        } else if (vector instanceof BaseFixedWidthVector values
                && !(vector instanceof BitVector)) {
            byte[] bytes =
                    new byte[Math.multiplyExact(values.getValueCount(), values.getTypeWidth())];
            values.getDataBuffer().getBytes(0, bytes);
            into.values(bytes);
        }
        for (FieldVector child : vector.getChildrenFromFields()) {
            read(child, into);
        }
    }
}
