package io.loam.codec;

import io.loam.codec.erase.HostileErasures;
import io.loam.codec.fold.HostileFold;
import io.loam.codec.hot.HostileHot;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.KeyJson;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.key.UuidText;
import io.loam.codec.lance.HostileLance;
import io.loam.codec.manifest.Golden;
import io.loam.codec.manifest.HostileManifests;
import io.loam.codec.record.ConsistencyToken;
import io.loam.codec.record.SparseVectors;
import io.loam.codec.record.SparseWeights;
import io.loam.codec.schema.DateText;
import io.loam.codec.schema.HostileSchemas;
import io.loam.codec.split.HostileSplits;
import io.loam.codec.staged.HostileUnits;
import io.loam.codec.testing.Campaign;
import io.loam.codec.testing.HostileBytes;
import io.loam.codec.testing.HostileDecoder;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Every decoder of the codec under damaged bytes. */
class HostileBytesTest {
    private static final int SHORT_INPUTS = 2_000;
    private static final int FULL_INPUTS = 40_000;

    private static final String[] JSON_WORDS = {
        "a.b.",
        "[",
        "]",
        "{",
        "}",
        "{\"a\":",
        "[[",
        ",",
        ":",
        "\"",
        "\"\\ud800\"",
        "\\u0000",
        "\\",
        "1e400",
        "-0",
        "0.0",
        "1e-400",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "00",
        "NaN",
        "Infinity",
        "null",
        "true",
        "99999999999999999999999999999999999999999",
        "{}",
        "[]",
        "{},",
        "\"a\":0,",
        "//",
        "\ud83d\ude00"
    };

    @Test
    void everyDecoderStandsAnyBytes() {
        List<HostileDecoder<?>> decoders = new ArrayList<>();
        decoders.addAll(HostileManifests.decoders());
        decoders.addAll(HostileHot.decoders());
        decoders.addAll(HostileErasures.decoders());
        decoders.addAll(HostileUnits.decoders());
        decoders.addAll(HostileLance.decoders());
        decoders.addAll(HostileSplits.decoders(JSON_WORDS));
        decoders.addAll(HostileSchemas.decoders(JSON_WORDS));
        decoders.addAll(HostileFold.decoders(JSON_WORDS));
        decoders.addAll(values());
        HostileBytes.run("bytes codec", decoders, Campaign.size(SHORT_INPUTS, FULL_INPUTS));
    }

    private static List<HostileDecoder<?>> values() {
        return List.of(
                HostileDecoder.of("JSON", Json::parse, JsonSyntaxException.class)
                        .samples(
                                utf8(
                                        "{\"a\":1.5,\"b\":[true,null,{\"c\":\"\\u00e4\"}],\"\":-0}",
                                        "[18446744073709551615,-9223372036854775808,1e300,0.1]",
                                        "\"text\""))
                        .words(JSON_WORDS)
                        .encoder(Json::print),
                HostileDecoder.of(
                                "key in JSON",
                                bytes -> KeyJson.fromJson(Json.parse(bytes)),
                                JsonSyntaxException.class,
                                InvalidKeyException.class)
                        .samples(
                                utf8(
                                        "18446744073709551615",
                                        "\"a key\"",
                                        "{\"uuid\":\"00000000-0000-0001-0000-000000000002\"}"))
                        .words(JSON_WORDS)
                        .encoder(key -> Json.print(KeyJson.toJson(key))),
                HostileDecoder.of("key", PrimaryKey::parseCanonical, InvalidKeyException.class)
                        .samples(
                                List.of(
                                        PrimaryKey.ofU64(-1).canonical(),
                                        PrimaryKey.ofUuid(new UUID(1, 2)).canonical(),
                                        PrimaryKey.ofString("ä key").canonical()))
                        .encoder(PrimaryKey::canonical),
                HostileDecoder.of("sparse weights", SparseWeights::decode, CorruptException.class)
                        .samples(
                                List.of(
                                        sparse(),
                                        SparseWeights.encode(
                                                SparseVectors.canonical(new int[0], new float[0]))))
                        .encoder(SparseWeights::encode),
                HostileDecoder.of(
                                "Roaring bitmap",
                                bytes -> RoaringFormat.decode(bytes, 0, "x"),
                                CorruptException.class)
                        .samples(
                                List.of(
                                        RoaringFormat.encode(RoaringBitmap.bitmapOf(1, 2, -1)),
                                        RoaringFormat.encode(RoaringBitmap.bitmapOfRange(0, 9000))))
                        .encoder(RoaringFormat::encode),
                HostileDecoder.of(
                                "ULID text",
                                bytes -> Ulid.parse(text(bytes)),
                                CorruptException.class)
                        .samples(utf8(new Ulid(-1, -1).toString(), new Ulid(7, 9).toString()))
                        .encoder(ulid -> ulid.toString().getBytes(StandardCharsets.UTF_8)),
                HostileDecoder.of("ULID", Ulid::fromBytes, CorruptException.class)
                        .samples(List.of(new Ulid(7, 9).toBytes()))
                        .encoder(Ulid::toBytes),
                HostileDecoder.<Object>of("UUID text", bytes -> UuidText.parse(text(bytes)))
                        .samples(utf8(new UUID(1, 2).toString(), "urn:uuid:" + new UUID(-1, 2)))
                        .words("urn:uuid:", "{", "}", "-", "--"),
                HostileDecoder.<Object>of("date text", bytes -> DateText.millis(text(bytes)))
                        .samples(
                                utf8(
                                        "2024-02-29T23:59:59.999999999+23:59",
                                        "1/2/2024 10:11:12",
                                        "-1234567890123"))
                        .words("0000-00-00", "T24:00:00Z", "-", "+99:99", "99999", ".000000"),
                HostileDecoder.<Object>of(
                                "consistency token",
                                bytes -> {
                                    var token = ConsistencyToken.parse(text(bytes));
                                    token.ifPresent(HostileBytesTest::checkToken);
                                    return token;
                                })
                        .samples(samplesOfTokens())
                        .words("v1:", "s1/p2@3,", ",", "18446744073709551616", "s0/p4294967295@0"));
    }

    private static void checkToken(ConsistencyToken token) {
        if (!ConsistencyToken.parse(token.toString()).orElseThrow().equals(token)
                || !token.merge(token).equals(token.normalized())) {
            throw new AssertionError("not the same token: " + token);
        }
    }

    private static List<byte[]> samplesOfTokens() {
        return Golden.file("tokens.json").get("forms").list().stream()
                .map(form -> form.get("text").text().getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static byte[] sparse() {
        return SparseWeights.encode(
                SparseVectors.canonical(new int[] {1, 7, -1}, new float[] {0.5f, -1, 3}));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<byte[]> utf8(String... texts) {
        return List.of(texts).stream().map(t -> t.getBytes(StandardCharsets.UTF_8)).toList();
    }
}
