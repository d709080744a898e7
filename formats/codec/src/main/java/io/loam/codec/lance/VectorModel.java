package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a segment of a vector index was trained to, so that later segments need no training.
 * Envelope {@code OPIM}; body, in postcard:
 *
 * <pre>
 * dimension    varint
 * centroids    bytes: f32 LE, one vector after the other
 * codebook     bytes: f32 LE, by sub-vector and code; empty if the kind of index has none
 * </pre>
 */
public record VectorModel(int dimension, float[] centroids, float[] codebook) {
    /** File name below the segment's own folder. */
    public static final String FILE = "trained.opim";

    public VectorModel {
        if (dimension < 1 || centroids.length == 0 || centroids.length % dimension != 0) {
            throw new IllegalArgumentException(
                    centroids.length + " numbers are no centroids of " + dimension + " dimensions");
        }
    }

    /** How many partitions there are. */
    public int partitions() {
        return centroids.length / dimension;
    }

    public byte[] encode() {
        PostcardWriter body = new PostcardWriter();
        body.u32(dimension);
        body.bytes(bytes(centroids));
        body.bytes(bytes(codebook));
        return Envelope.wrap(Envelope.Type.OPIM, body.toByteArray());
    }

    /**
     * Reads a model.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static VectorModel decode(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPIM, object, path);
        try {
            PostcardReader in = new PostcardReader(body);
            int dimension = in.u32();
            float[] centroids = floats(in.bytes(), path);
            float[] codebook = floats(in.bytes(), path);
            in.expectEnd();
            return new VectorModel(dimension, centroids, codebook);
        } catch (PostcardException | IllegalArgumentException e) {
            throw new CorruptException(path + ": trained model: " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(float[] numbers) {
        ByteBuffer out =
                ByteBuffer.allocate(numbers.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.asFloatBuffer().put(numbers);
        return out.array();
    }

    private static float[] floats(byte[] bytes, String path) {
        if (bytes.length % Float.BYTES != 0) {
            throw new CorruptException(path + ": " + bytes.length + " bytes of 32-bit numbers");
        }
        float[] numbers = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(numbers);
        return numbers;
    }
}
