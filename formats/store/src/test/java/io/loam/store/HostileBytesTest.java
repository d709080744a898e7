package io.loam.store;

import io.loam.codec.CorruptException;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.testing.Campaign;
import io.loam.codec.testing.HostileBytes;
import io.loam.codec.testing.HostileDecoder;
import io.loam.store.hot.HotObjects;
import io.loam.store.object.ObjectPaths;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.QueryParser;

import com.github.luben.zstd.Zstd;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;

/** What people type into the store, and what it keeps, damaged. */
class HostileBytesTest {
    private static final int SHORT_INPUTS = 4_000;
    private static final int FULL_INPUTS = 100_000;

    private static final CollectionSchema SCHEMA =
            new CollectionSchema(
                    1,
                    List.of(
                            field("title", new FieldKind.Text("standard", true)),
                            field("notes", new FieldKind.Text("simple", false)),
                            field("tag", new FieldKind.Keyword()),
                            field("n", new FieldKind.I64()),
                            field("x", new FieldKind.F64()),
                            field("b", new FieldKind.Bool()),
                            field("d", new FieldKind.Date()),
                            field("u", new FieldKind.Uuid()),
                            field("payload", new FieldKind.Json())),
                    List.of(),
                    List.of(),
                    Dynamic.IGNORE,
                    1000,
                    Map.of());

    @Test
    void everyParserStandsAnyBytes() {
        List<HostileDecoder<?>> decoders =
                List.of(
                        HostileDecoder.of(
                                        "query",
                                        bytes -> QueryParser.parse(text(bytes), SCHEMA),
                                        InvalidQueryException.class)
                                // A word of one letter becomes a query for each text field.
                                .memory(1_200)
                                .samples(
                                        utf8(
                                                "title:a OR +b -\"c d\" NOT tag:x",
                                                "n:[1 TO 5} AND x>=1e3 d<2024-01-01",
                                                "payload.a\\.b:* (b:true OR u:*)",
                                                "payload.n:{* TO 7] *"))
                                .words(
                                        "(",
                                        ")",
                                        "NOT ",
                                        "-",
                                        "+",
                                        "AND ",
                                        "OR ",
                                        "\"",
                                        ":",
                                        "*",
                                        "[",
                                        "{",
                                        " TO ",
                                        "]",
                                        "}",
                                        ">=",
                                        "<",
                                        "\\",
                                        "title:",
                                        "payload.",
                                        "n:",
                                        "d:",
                                        "1e400",
                                        "NaN",
                                        "99999999999999999999",
                                        "\ud83d\ude00",
                                        "((",
                                        "a b "),
                        HostileDecoder.of(
                                        "object path",
                                        bytes -> ObjectPaths.requireValid(text(bytes)),
                                        IllegalArgumentException.class)
                                .samples(utf8("ns/1/collection/7/manifests/1.opcm", "a"))
                                .words("/", "..", "../", "./", "\u0000", "\\", "//", "%2e"),
                        HostileDecoder.of(
                                        "chunk of a hot graph",
                                        bytes -> HotObjects.content(bytes, "some/object"),
                                        CorruptException.class)
                                // A byte may stand for 32 KiB of equal ones.
                                .memory(33_000)
                                .samples(chunks())
                                .encoder(Zstd::compress)
                                .comparedAsBytes());
        HostileBytes.run("bytes store", decoders, Campaign.size(SHORT_INPUTS, FULL_INPUTS));
    }

    private static Field field(String name, FieldKind kind) {
        return new Field(name, name, kind, true, false, false);
    }

    private static List<byte[]> chunks() {
        byte[] random = new byte[300];
        new Random(1).nextBytes(random);
        return List.of(
                Zstd.compress(new byte[0]),
                Zstd.compress(new byte[200_000]),
                Zstd.compress(random),
                Zstd.compress("a graph of vectors of a graph".repeat(40).getBytes(UTF_8), 3));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static List<byte[]> utf8(String... texts) {
        return Stream.of(texts).map(text -> text.getBytes(UTF_8)).toList();
    }
}
