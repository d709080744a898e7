package io.loam.codec.staged;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.HostileManifests;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.testing.HostileDecoder;

import java.util.List;

/** Decoders of this package and samples for them. */
public final class HostileUnits {
    private static final String PATH = "some/object";

    private HostileUnits() {}

    public static List<HostileDecoder<?>> decoders() {
        return List.of(
                HostileDecoder.of("staged unit", StagedUnitCodec::decode, CorruptException.class)
                        .samples(units().stream().map(StagedUnitCodec::encode).toList())
                        .encoder(StagedUnitCodec::encode),
                HostileDecoder.of(
                                "unit descriptor",
                                bytes -> UnitDescriptorCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(
                                List.of(
                                        HostileManifests.body(
                                                UnitDescriptorCodec.encode(
                                                        new UnitDescriptor(
                                                                new Ulid(1, 2),
                                                                new Ulid(3, 4),
                                                                5,
                                                                List.of("a/b", "c", ""))))))
                        .frame(HostileManifests.framed(Envelope.Type.OPSU))
                        .encoder(UnitDescriptorCodec::encode),
                HostileDecoder.of(
                                "key list",
                                bytes -> KeyListCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(List.of(HostileManifests.body(KeyListCodec.encode(changes()))))
                        .frame(HostileManifests.framed(Envelope.Type.OPSK))
                        .encoder(KeyListCodec::encode),
                HostileDecoder.of(
                                "dead-letter part",
                                bytes -> DeadLetterPartCodec.decode(bytes, PATH),
                                CorruptException.class)
                        .samples(
                                List.of(
                                        HostileManifests.body(
                                                DeadLetterPartCodec.encode(
                                                        HostileManifests.letters()))))
                        .frame(HostileManifests.framed(Envelope.Type.OPSD))
                        .encoder(DeadLetterPartCodec::encode)
                        .comparedAsBytes());
    }

    private static List<StagedUnit> units() {
        SplitRef split =
                new SplitRef(
                        new Ulid(5, 6),
                        3,
                        1,
                        1000,
                        900,
                        1000,
                        List.of(new RowIdRange(7, 9), new RowIdRange(20, 21)),
                        "bitmap",
                        1,
                        2,
                        0,
                        77);
        return List.of(
                new StagedUnit(
                        new Ulid(1, 2),
                        3,
                        1,
                        0,
                        7,
                        3,
                        "a.lance",
                        500,
                        List.of(new UnitColumn("_vector_0", 8), new UnitColumn("_sparse_0", 0)),
                        split,
                        3,
                        80,
                        1,
                        40),
                new StagedUnit(new Ulid(1, 2), 3, 1, 0, 0, 0, "", 0, List.of(), null, 0, 0, 0, 0));
    }

    private static List<KeyChange> changes() {
        return List.of(
                new KeyChange(PrimaryKey.ofU64(1), null, 5L),
                new KeyChange(PrimaryKey.ofU64(2), -1L, null),
                new KeyChange(PrimaryKey.ofString("k"), 4L, 6L));
    }
}
