package io.loam.codec.testing;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A decoder that shall stand any bytes, and what a {@link HostileBytes} run has to know about it.
 *
 * @param <T> what it gives
 */
public final class HostileDecoder<T> {
    /** Decodes bytes. */
    @FunctionalInterface
    public interface Decode<T> {
        T decode(byte[] bytes) throws Exception;
    }

    /** Encodes what was decoded. */
    @FunctionalInterface
    public interface Encode<T> {
        byte[] encode(T value) throws Exception;
    }

    /**
     * A byte of JSON or protobuf may become an object with a map in it: about 100 bytes for each
     * byte were measured, and another decoder may lie in between.
     */
    private static final int BYTES_PER_BYTE = 400;

    final String name;
    final List<Class<? extends Exception>> declared;
    final Decode<T> decode;
    final List<byte[]> samples = new ArrayList<>();
    final List<String> words = new ArrayList<>();
    UnaryOperator<byte[]> frame = UnaryOperator.identity();
    int bytesPerByte = BYTES_PER_BYTE;
    boolean protobuf;
    boolean comparedAsBytes;
    @Nullable Encode<T> encode;

    private HostileDecoder(
            String name, Decode<T> decode, List<Class<? extends Exception>> declared) {
        this.name = name;
        this.declared = declared;
        this.decode = decode;
    }

    /**
     * A decoder that answers with a value or one of the declared exceptions.
     *
     * @param name as the report names it
     */
    @SafeVarargs
    public static <T> HostileDecoder<T> of(
            String name, Decode<T> decode, Class<? extends Exception>... declared) {
        return new HostileDecoder<>(name, decode, List.of(declared));
    }

    /** Bytes to damage; framed, each must be accepted. */
    public HostileDecoder<T> samples(List<byte[]> bytes) {
        samples.addAll(bytes);
        return this;
    }

    /**
     * What is put around damaged bytes most of the time, checksums above all, so that the code
     * behind the frame's checks sees the damage.
     */
    public HostileDecoder<T> frame(UnaryOperator<byte[]> frameOfSample) {
        frame = frameOfSample;
        return this;
    }

    /** The samples are protobuf messages. */
    public HostileDecoder<T> protobuf() {
        protobuf = true;
        words.add("\u000b"); // starts a group, and groups nest
        return this;
    }

    /** Text that means something to the decoder. */
    public HostileDecoder<T> words(String... text) {
        words.addAll(List.of(text));
        return this;
    }

    /** What is accepted must come back the same after being encoded and decoded. */
    public HostileDecoder<T> encoder(Encode<T> encoder) {
        encode = encoder;
        return this;
    }

    /** For values with arrays in them: compared by what they are encoded to. */
    public HostileDecoder<T> comparedAsBytes() {
        comparedAsBytes = true;
        return this;
    }

    /** Most memory for each byte of an input, where the usual bound does not do. */
    public HostileDecoder<T> memory(int bytesForEachByte) {
        bytesPerByte = bytesForEachByte;
        return this;
    }
}
