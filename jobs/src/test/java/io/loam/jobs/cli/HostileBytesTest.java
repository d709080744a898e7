package io.loam.jobs.cli;

import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.testing.Campaign;
import io.loam.codec.testing.HostileBytes;
import io.loam.codec.testing.HostileDecoder;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What people feed to the command line, damaged. */
class HostileBytesTest {
    private static final int SHORT_INPUTS = 2_000;
    private static final int FULL_INPUTS = 40_000;
    private static final String[] WORDS = {
        "[",
        "]",
        "{",
        "}",
        "{\"a\":",
        ",",
        ":",
        "\"",
        "\"\\ud800\"",
        "\\u0000",
        "1e400",
        "1e39",
        "-0",
        "NaN",
        "18446744073709551616",
        "-1",
        "null",
        "true",
        "\"pk\":",
        "\"uuid\":",
        "\"vectors\":{\"v\":[1,2]}",
        "\"_vectors\":",
        "\"sparse_vectors\":",
        "\"upsert\":{}",
        "\"delete_keys\":[\"a\"]",
        "\"mode\":\"replace\"",
        "[]",
        "{}"
    };

    @Test
    void everyParserStandsAnyText() {
        OperationLine lines = new OperationLine("_id", Map.of("emb", "v"));
        List<HostileDecoder<?>> decoders =
                List.of(
                        HostileDecoder.<Operation>of(
                                        "line of operations",
                                        bytes -> {
                                            Operation operation = lines.parse(bytes);
                                            byte[] value = RecordCodec.encode(operation);
                                            return RecordCodec.decode(
                                                    operation.key().canonical(), value);
                                        },
                                        CliException.class)
                                .samples(
                                        utf8(
                                                "{\"_id\":1,\"t\":\"x\",\"emb\":[1,2.5],\"_vectors\":{\"w\":[0.1]}}",
                                                "{\"_id\":\"k\",\"_sparse_vectors\":{\"s\":{\"indices\":[1,5],\"values\":[1,2]}}}",
                                                "{\"upsert\":{\"a\":1},\"pk\":{\"uuid\":\"00000000-0000-0001-0000-000000000002\"},\"vectors\":{\"v\":[1]}}",
                                                "{\"delete\":5}",
                                                "{\"patch\":{\"a\":1},\"pk\":7,\"mode\":\"merge_top\",\"delete_keys\":[\"b.c\"],\"vectors\":{\"v\":null},\"upsert\":{\"z\":1}}"))
                                .words(WORDS),
                        HostileDecoder.of(
                                        "key on the command line",
                                        bytes -> KeyText.parse(text(bytes)),
                                        CliException.class)
                                .samples(
                                        utf8(
                                                "42",
                                                "name",
                                                "\"42\"",
                                                "{\"uuid\":\"00000000-0000-0001-0000-000000000002\"}"))
                                .words(WORDS));
        HostileBytes.run("bytes jobs", decoders, Campaign.size(SHORT_INPUTS, FULL_INPUTS));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<byte[]> utf8(String... texts) {
        return Stream.of(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    }
}
