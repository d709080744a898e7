package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.testing.Campaign;
import io.loam.codec.testing.HostileBytes;
import io.loam.codec.testing.HostileDecoder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is checked before native code sees a split, under damaged bytes. */
class HostileBytesTest {
    private static final int SHORT_INPUTS = 1_500;
    private static final int FULL_INPUTS = 30_000;
    private static final String META =
            "{\"index_settings\":{},\"segments\":[{\"segment_id\":"
                    + "\"01234567-89ab-cdef-0123-456789abcdef\",\"max_doc\":7,\"deletes\":null}],"
                    + "\"schema\":[{\"name\":\"_pk\",\"type\":\"bytes\"}],\"opstamp\":0}";

    @TempDir private Path directory;

    @Test
    void everyCheckStandsAnyBytes() {
        List<HostileDecoder<?>> decoders =
                List.of(
                        HostileDecoder.of(
                                        "index meta",
                                        bytes -> IndexMeta.parse("x", bytes),
                                        CorruptException.class)
                                .samples(List.of(utf8(META)))
                                .words("[", "{", "{\"a\":", "[]", "null", "-1", "1e3", "\"", "../")
                                .encoder(IndexMeta::withoutDeletes),
                        HostileDecoder.of("segment file", this::segment, CorruptException.class)
                                .samples(
                                        List.of(
                                                SegmentFile.frame(new byte[100]),
                                                SegmentFile.frame(new byte[0])))
                                .words("{", "[", "7", "\"crc\":", "-1", "1e3"),
                        HostileDecoder.<String>of("token", HostileBytesTest::word)
                                .samples(List.of(utf8("Straße"), utf8("\uE000ΑΣ"), utf8("i\u0307")))
                                .words(
                                        "\uE001",
                                        "\uE002",
                                        "\uE003",
                                        " ",
                                        "\u0130",
                                        "\ud83d\ude00"));
        HostileBytes.run("bytes tantivy", decoders, Campaign.size(SHORT_INPUTS, FULL_INPUTS));
    }

    private Object segment(byte[] bytes) throws IOException {
        Path file = Files.write(directory.resolve("a.term"), bytes);
        SegmentFile.check("a.term", file);
        return file;
    }

    /** A word that is stored stays one word, below Tantivy's limit. */
    private static String word(byte[] bytes) {
        String word =
                StoredTokens.word(
                        new String(bytes, StandardCharsets.UTF_8).replaceAll("[\t-\r ]", ""));
        if (word.getBytes(StandardCharsets.UTF_8).length > 254
                || word.chars().anyMatch(c -> c >= 'A' && c <= 'Z')) {
            throw new AssertionError("stored as " + word);
        }
        return word;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
