package io.loam.jobs.cli;

import io.loam.jobs.broker.BrokerProcess;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Documents are erased from real objects and a real stream, from the command line. */
class EraseITCase {
    private static final String NUMBER = "424242";
    private static final String NAME = "margarethe-of-the-hill";
    private static final String OLD_TEXT = "whatever Margarethe said in confidence";
    private static final String NEW_TEXT = "the second confession of Margarethe";

    @TempDir Path folder;
    private Path values;

    @BeforeEach
    void sequences() throws Exception {
        values = Files.write(folder.resolve("values"), List.of(OLD_TEXT, NEW_TEXT));
    }

    private LoamRun loam(String... arguments) {
        return LoamRun.of(
                Stream.concat(
                                Stream.of(arguments),
                                Stream.of("--warehouse", folder.resolve("warehouse").toString()))
                        .toArray(String[]::new));
    }

    private LoamRun erase(String... arguments) {
        return loam(
                Stream.concat(
                                Stream.of("erase", "docs"),
                                Stream.concat(
                                        Stream.of(arguments),
                                        Stream.of(
                                                "--wait",
                                                "0s",
                                                "--grace",
                                                "0s",
                                                "--values-file",
                                                values.toString())))
                        .toArray(String[]::new));
    }

    private void produce(String... lines) throws Exception {
        Path file = Files.createTempFile(folder, "lines", ".jsonl");
        Files.write(file, List.of(lines));
        loam("produce", "docs", file.toString(), "--vector-field", "v=v", "--no-check").ok();
    }

    private static String document(String key, String title, int n) {
        return "{\"_id\":"
                + key
                + ",\"title\":\""
                + title
                + "\",\"v\":["
                + n
                + ".25,0.5,0.125,-"
                + n
                + ".75]}";
    }

    private void fill() throws Exception {
        loam("create", "docs", "--text", "title", "--vector", "v:4", "--partitions", "1").ok();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lines.add(document(Integer.toString(i), "document number " + i, i));
        }
        lines.add(document(NUMBER, OLD_TEXT, 77));
        lines.add(document('"' + NAME + '"', OLD_TEXT, 78));
        produce(lines.toArray(String[]::new));
        loam("apply", "docs").ok();
        loam("tag", "create", "docs", "first").ok();
        loam("maintain", "docs", "--once", "--index", "key-rows=1").ok();
        produce(
                document(NUMBER, NEW_TEXT, 79),
                document("3", "document number three, again", 3),
                "{\"delete\":7}",
                "{\"_id\":\"" + NAME + "\",\"title\":\"" + OLD_TEXT + "\",\"v\":[1,2]}");
        loam("apply", "docs").ok();
    }

    private boolean isInAnyFile(String text) throws Exception {
        byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
        try (Stream<Path> files = Files.walk(folder.resolve("warehouse/ns"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (bytes.contains(new String(wanted, StandardCharsets.ISO_8859_1))) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void documentsAreErasedFromAStream() throws Exception {
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            assertThat(broker.bootstrapServers()).isNotEmpty();
            fill();
            LoamRun asked = erase("--key", NUMBER, "--key", NAME);
            assertThat(asked.failure()).contains("are not applied yet").contains("resume");
            assertThat(asked.out()).matches("(?s)erasure [0-9A-Z]{26} of 2 keys\\R");
            String id = asked.out().substring("erasure ".length(), "erasure ".length() + 26);
            loam("apply", "docs").ok();

            LoamRun before = erase("--verify", id, "--key", NUMBER, "--key", NAME);
            assertThat(before.code()).isEqualTo(Loam.VIOLATIONS);
            assertThat(before.out())
                    .containsPattern("left: .*/lance/data/.*: an erased key\\R")
                    .containsPattern("left: .*/lance/data/.*: a sequence of ")
                    .containsPattern("left: .*/lance/_indices/.*: an erased key\\R")
                    .containsPattern("left: .*/text/splits/.*: an erased key\\R")
                    .containsPattern("left: .*/pkdelta/.*: an erased key\\R")
                    .containsPattern("left: .*/deadletters/.*: an erased key\\R")
                    .containsPattern("left: .*/staged/.*\\.keys: an erased key\\R");
            assertThat(erase("--verify", id).code()).isEqualTo(Loam.VIOLATIONS);

            LoamRun erased = erase("--resume", id, "--key", NUMBER, "--key", NAME).ok();
            assertThat(erased.out())
                    .contains("tag first names a copy")
                    .contains("the stream is trimmed by 28 records")
                    .containsPattern("looked for 2 keys and \\d+ byte sequences in \\d+ objects")
                    .contains(" bytes: 0 left");
            assertThat(erase("--verify", id).ok().out()).contains(": 0 left");
            assertThat(erase("--verify", id, "--key", NUMBER, "--key", NAME).ok().out())
                    .contains(": 0 left");
            assertThat(loam("erase", "docs", "--list").ok().out())
                    .containsPattern(id + " .* 2 +complete\\R");
            for (String text : List.of(OLD_TEXT, NEW_TEXT, NAME, "argarethe")) {
                assertThat(isInAnyFile(text)).as(text).isFalse();
            }
            goesOn();
        }
    }

    private void goesOn() throws Exception {
        assertThat(loam("get", "docs", NUMBER).code()).isEqualTo(Loam.NOT_FOUND);
        assertThat(loam("get", "docs", NUMBER, "--tag", "first").code()).isEqualTo(Loam.NOT_FOUND);
        assertThat(loam("get", "docs", "7", "--tag", "first").ok().out()).contains("number 7");
        assertThat(
                        loam("search", "docs", "number", "-k", "30", "--tag", "first", "--json")
                                .ok()
                                .json())
                .hasSize(20);
        assertThat(loam("search", "docs", "margarethe", "--json").ok().json()).isEmpty();
        assertThat(
                        loam(
                                        "search",
                                        "docs",
                                        "--vector",
                                        "v",
                                        "--values",
                                        "1,1,1,1",
                                        "-k",
                                        "30",
                                        "--json")
                                .ok()
                                .json())
                .hasSize(19);
        assertThat(loam("verify", "docs").out()).contains(" 0 violations");
        produce(document("100", "one more", 100), "{\"delete\":4}");
        loam("apply", "docs").ok();
        assertThat(loam("get", "docs", "100").ok().out()).contains("one more");
        assertThat(loam("verify", "docs").out()).contains("19 keys, 0 violations");
    }

    /** With no tag any more: a version that is retained is enough. */
    @Test
    void queriesFindWhatMatchedInAnOlderVersion() throws Exception {
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            assertThat(broker.bootstrapServers()).isNotEmpty();
            fill();
            loam("tag", "delete", "docs", "first").ok();
            LoamRun gone = erase("--where", "title:7");
            assertThat(gone.failure()).contains("are not applied yet");
            assertThat(gone.out()).startsWith("erasure ").contains(" of 1 keys");
            LoamRun changed = erase("--where", "title:confidence");
            assertThat(changed.failure()).contains("are not applied yet");
            assertThat(changed.out())
                    .startsWith("1 documents match in an older version only")
                    .contains("--changed erases them, too")
                    .contains(" of 1 keys");
            assertThat(erase("--where", "title:confidence", "--changed").out())
                    .startsWith("erasure ")
                    .contains(" of 2 keys");
            loam("apply", "docs").ok();
            String id =
                    LoamRun.text(
                            loam("erase", "docs", "--list", "--json").ok().json().get(2),
                            "erasure");
            assertThat(erase("--resume", id).ok().out()).contains(": 0 left");
            assertThat(isInAnyFile(OLD_TEXT)).isFalse();
            assertThat(loam("get", "docs", NUMBER).code()).isEqualTo(Loam.NOT_FOUND);
        }
    }

    @Test
    void badUseIsRefused() throws Exception {
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            assertThat(broker.bootstrapServers()).isNotEmpty();
            fill();
            assertThat(erase().failure())
                    .isEqualTo("name the documents: --key, --keys-file or --where");
            assertThat(erase("--where", "title:nothing").failure())
                    .isEqualTo("no document matches title:nothing");
            assertThat(erase("--key", NUMBER, "--changed").failure())
                    .isEqualTo("--changed goes with --where");
            assertThat(erase("--resume", "x", "--where", "title:nothing").failure())
                    .startsWith("--where and --changed begin an erasure");
            assertThat(erase("--resume", "x").failure()).isEqualTo("not the id of an erasure: x");
            assertThat(erase("--verify", "01M8PG6M7MZ64TVX0FTG1ZC849").failure())
                    .contains("the collection has no erasure");
            LoamRun asked = erase("--where", "title:confession");
            assertThat(asked.failure()).contains("are not applied yet");
            assertThat(asked.out()).contains(" of 1 keys");
            String id = asked.out().substring("erasure ".length(), "erasure ".length() + 26);
            assertThat(erase("--verify", id, "--key", "5").failure())
                    .contains("not about one of the keys");
            Path other = Files.write(folder.resolve("other"), new byte[32]);
            assertThat(erase("--verify", id, "--secret", other.toString()).failure())
                    .contains("requested with another secret");
        }
    }
}
