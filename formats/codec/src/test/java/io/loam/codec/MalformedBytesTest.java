package io.loam.codec;

import io.loam.codec.erase.ErasureCodec;
import io.loam.codec.erase.HostileErasures;
import io.loam.codec.hot.HotCoverageCodec;
import io.loam.codec.hot.HotDescriptorCodec;
import io.loam.codec.json.JsonValue;
import io.loam.codec.lance.VectorModel;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.Golden;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.manifest.Seeds;
import io.loam.codec.manifest.UserOperationCodec;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnitCodec;
import io.loam.codec.staged.UnitDescriptorCodec;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** Whatever the bytes, a decoder answers with a value or with CorruptException. */
class MalformedBytesTest {
    private static final int ROUNDS = 4_000;

    private static final Map<Envelope.Type, Function<byte[], Object>> DECODERS =
            new EnumMap<>(
                    Map.ofEntries(
                            entry(Envelope.Type.OPCM, ManifestCodec::decode),
                            entry(Envelope.Type.OPDB, DeleteBitmapCodec::decode),
                            entry(Envelope.Type.OPPD, PkDeltaCodec::decode),
                            entry(Envelope.Type.OPDL, DeadLetterCodec::decode),
                            entry(Envelope.Type.OPUO, UserOperationCodec::decode),
                            entry(Envelope.Type.OPSU, UnitDescriptorCodec::decode),
                            entry(Envelope.Type.OPSK, KeyListCodec::decode),
                            entry(Envelope.Type.OPSD, DeadLetterPartCodec::decode),
                            entry(Envelope.Type.OPHD, HotDescriptorCodec::decode),
                            entry(Envelope.Type.OPHC, HotCoverageCodec::decode),
                            entry(Envelope.Type.OPIM, VectorModel::decode),
                            entry(Envelope.Type.OPER, ErasureCodec::decodeRequest),
                            entry(Envelope.Type.OPEX, ErasureCodec::decodeReleased),
                            entry(Envelope.Type.OPEC, ErasureCodec::decodeCompletion)));

    private final Random random = Seeds.random(getClass());

    private static Map.Entry<Envelope.Type, Function<byte[], Object>> entry(
            Envelope.Type type, BiFunction<byte[], String, Object> decoder) {
        return Map.entry(type, bytes -> decoder.apply(bytes, "x"));
    }

    @Test
    void everyTypeHasADecoder() {
        assertThat(DECODERS).containsOnlyKeys(Envelope.Type.values());
    }

    @Test
    void randomObjects() {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = randomBytes(60);
            DECODERS.forEach((type, decoder) -> expectValueOrCorrupt(decoder, bytes));
            expectValueOrCorrupt(StagedUnitCodec::decode, bytes);
        }
    }

    @Test
    void randomBodiesInSoundEnvelopes() {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] body = randomBytes(60);
            DECODERS.forEach(
                    (type, decoder) -> expectValueOrCorrupt(decoder, Envelope.wrap(type, body)));
        }
    }

    @Test
    void damagedBodiesInSoundEnvelopes() {
        for (Map.Entry<Envelope.Type, List<byte[]>> samples : samples().entrySet()) {
            assertThat(samples.getValue()).as(samples.getKey().name()).isNotEmpty();
            Function<byte[], Object> decoder = DECODERS.get(samples.getKey());
            for (byte[] body : samples.getValue()) {
                for (int round = 0; round < ROUNDS / 4; round++) {
                    expectValueOrCorrupt(decoder, Envelope.wrap(samples.getKey(), damaged(body)));
                }
            }
        }
    }

    @Test
    void damagedUnits() {
        for (Golden unit : Golden.file("staged.json").get("units").list()) {
            byte[] bytes = unit.get("hex").hex();
            bytes[0] = StagedUnitCodec.VERSION;
            for (int round = 0; round < ROUNDS; round++) {
                byte[] damaged = damaged(bytes);
                if (damaged.length > 0) {
                    damaged[0] = StagedUnitCodec.VERSION;
                }
                expectValueOrCorrupt(StagedUnitCodec::decode, damaged);
            }
        }
    }

    @Test
    void anyTextMayBeAPath() {
        CollectionPaths paths = new CollectionPaths(1, 2);
        for (int round = 0; round < ROUNDS; round++) {
            String text = new String(randomBytes(40), StandardCharsets.ISO_8859_1);
            assertThat(CollectionPaths.manifestVersion(paths.manifests() + text)).isEmpty();
            assertThat(paths.objectTimeMs(paths.root() + text, 7)).isEqualTo(7);
            assertThat(CollectionPaths.lanceFile(text)).isNotNull();
        }
    }

    private static Map<Envelope.Type, List<byte[]>> samples() {
        Map<Envelope.Type, List<byte[]>> samples = new EnumMap<>(Envelope.Type.class);
        for (String file : List.of("envelopes.json", "staged.json")) {
            for (Golden object : Golden.file(file).get("objects").list()) {
                String magic = object.get("magic").text();
                if (object.has("hex")) {
                    byte[] bytes = object.get("hex").hex();
                    samples.computeIfAbsent(Envelope.Type.valueOf(magic), m -> new ArrayList<>())
                            .add(Arrays.copyOfRange(bytes, 6, bytes.length - 4));
                }
            }
        }
        Map<String, JsonValue> protobuf =
                ((JsonValue.JsonObject) Golden.file("user-operation.json").get("protobuf").value())
                        .members();
        samples.put(Envelope.Type.OPUO, List.of(hex(protobuf.get("operation_hex"))));
        samples.get(Envelope.Type.OPCM).add(hex(protobuf.get("manifest_with_hex")));
        samples.put(Envelope.Type.OPER, HostileErasures.requests());
        samples.put(Envelope.Type.OPEX, HostileErasures.notes());
        samples.put(Envelope.Type.OPEC, HostileErasures.notes());
        return samples;
    }

    private static byte[] hex(JsonValue text) {
        return HexFormat.of().parseHex(((JsonValue.JsonString) text).value());
    }

    private byte[] damaged(byte[] body) {
        byte[] damaged =
                random.nextInt(3) == 0
                        ? Arrays.copyOf(body, random.nextInt(body.length + 4))
                        : body.clone();
        int changes = random.nextInt(4);
        for (int i = 0; i < changes && damaged.length > 0; i++) {
            int at = random.nextInt(damaged.length);
            damaged[at] =
                    random.nextBoolean()
                            ? (byte) random.nextInt()
                            : (byte) (damaged[at] ^ 1 << random.nextInt(8));
        }
        return damaged;
    }

    private byte[] randomBytes(int below) {
        byte[] bytes = new byte[random.nextInt(below)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void expectValueOrCorrupt(Function<byte[], Object> decoder, byte[] bytes) {
        try {
            assertThat(decoder.apply(bytes)).isNotNull();
        } catch (CorruptException e) {
            assertThat(e.getMessage()).isNotBlank();
        } catch (RuntimeException e) {
            fail("bytes " + HexFormat.of().formatHex(bytes), e);
        }
    }
}
