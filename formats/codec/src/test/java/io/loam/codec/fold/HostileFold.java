package io.loam.codec.fold;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.codec.testing.HostileDecoder;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Records of the stream: decoded, and folded into the document they change. */
public final class HostileFold {
    private static final JsonObject SOURCE = (JsonObject) Golden.file("records.json").value();

    private HostileFold() {}

    public static List<HostileDecoder<?>> decoders(String... jsonWords) {
        return List.of(
                HostileDecoder.of("record", HostileFold::decode, RecordException.class)
                        .samples(records())
                        .words(jsonWords)
                        .encoder(HostileFold::encode)
                        .comparedAsBytes(),
                HostileDecoder.<Object>of(
                                "record, folded", HostileFold::fold, RecordException.class)
                        .samples(records())
                        .words(jsonWords));
    }

    /** The length of the key in one byte, the key, the value. */
    private static byte[] join(byte[] key, byte[] value) {
        return ByteBuffer.allocate(1 + key.length + value.length)
                .put((byte) key.length)
                .put(key)
                .put(value)
                .array();
    }

    private static byte[] encode(Operation operation) {
        return join(operation.key().canonical(), RecordCodec.encode(operation));
    }

    private static Operation decode(byte[] bytes) {
        int keyEnd = bytes.length == 0 ? 0 : Math.min(bytes.length, 1 + (bytes[0] & 0xff));
        return RecordCodec.decode(
                bytes.length == 0 ? null : Arrays.copyOfRange(bytes, 1, Math.max(1, keyEnd)),
                Arrays.copyOfRange(bytes, keyEnd, bytes.length));
    }

    private static Object fold(byte[] bytes) {
        Operation operation = decode(bytes);
        Document current =
                new Document(operation.key(), SOURCE, Map.of("v", new float[3]), Map.of());
        LoggedOperation logged = new LoggedOperation(0, 1, operation, bytes);
        return KeyFold.prepare(List.of(logged, logged), document -> Optional.empty(), letter -> {})
                .fold(current, true);
    }

    private static List<byte[]> records() {
        List<byte[]> records = new ArrayList<>();
        for (Golden golden : Golden.file("records.json").get("encode_decode").list()) {
            byte[] key = golden.get("key_hex").hex();
            if (key.length < 256) {
                records.add(join(key, golden.get("value_hex").hex()));
            }
        }
        records.add(join(PrimaryKey.ofU64(7).canonical(), patch()));
        return records;
    }

    private static byte[] patch() {
        return RecordCodec.encode(
                new Operation.Patch(
                        PrimaryKey.ofU64(7),
                        Operation.PatchMode.MERGE_DEEP,
                        new JsonObject(Map.of("encode_decode", JsonObject.EMPTY)),
                        List.of("provenance.pinned", "headers", "", "a..b"),
                        Map.of("v", Optional.empty(), "w", Optional.of(new float[2])),
                        Map.of(),
                        new Document(PrimaryKey.ofU64(7), JsonObject.EMPTY, Map.of(), Map.of())));
    }
}
