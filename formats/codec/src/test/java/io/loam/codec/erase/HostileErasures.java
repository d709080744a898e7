package io.loam.codec.erase;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest.Tagged;
import io.loam.codec.manifest.HostileManifests;
import io.loam.codec.testing.HostileDecoder;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Decoders of this package and samples for them. */
public final class HostileErasures {
    private static final String PATH = "some/object";

    private HostileErasures() {}

    public static List<HostileDecoder<?>> decoders() {
        return List.of(
                HostileDecoder.of(
                                "erasure request",
                                bytes -> ErasureCodec.decodeRequest(bytes, PATH),
                                CorruptException.class)
                        .samples(requests())
                        .frame(HostileManifests.framed(Envelope.Type.OPER))
                        .encoder(ErasureCodec::encode)
                        .comparedAsBytes(),
                HostileDecoder.of(
                                "note of a release",
                                bytes -> ErasureCodec.decodeReleased(bytes, PATH),
                                CorruptException.class)
                        .samples(notes())
                        .frame(HostileManifests.framed(Envelope.Type.OPEX))
                        .encoder(ErasureCodec::encodeReleased),
                HostileDecoder.of(
                                "note of a completion",
                                bytes -> ErasureCodec.decodeCompletion(bytes, PATH),
                                CorruptException.class)
                        .samples(notes())
                        .frame(HostileManifests.framed(Envelope.Type.OPEC))
                        .encoder(ErasureCodec::encodeCompletion));
    }

    /** Bodies of requests. */
    public static List<byte[]> requests() {
        return List.of(
                request(List.of(), Map.of()),
                request(List.of(filled(1), filled(0xf3)), Map.of(0, 5L, 1, 1L << 40)));
    }

    /** Bodies of notes of both kinds. */
    public static List<byte[]> notes() {
        return List.of(
                HostileManifests.body(
                        ErasureCodec.encodeReleased(
                                new ErasureNote(new Ulid(1, 255), 1_700_000_000_000L, 7, 300, 5))));
    }

    private static byte[] request(List<byte[]> hashes, Map<Integer, Long> offsets) {
        return HostileManifests.body(
                ErasureCodec.encode(
                        new ErasureRequest(
                                new Ulid(1, 255),
                                1,
                                300,
                                1_700_000_000_000L,
                                1_700_000_000_001L,
                                "somebody",
                                Tagged.REWRITE,
                                filled(0x11),
                                hashes,
                                offsets)));
    }

    private static byte[] filled(int value) {
        byte[] hash = new byte[ErasureRequest.HASH_BYTES];
        Arrays.fill(hash, (byte) value);
        return hash;
    }
}
