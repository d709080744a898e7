package io.loam.jobs.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names and numbers that are made to break out: each is refused in one line, or stored and given
 * back to the letter; nothing beside the warehouse is touched, and no table is lost.
 */
class HostileNamesITCase {
    @TempDir Path folder;

    static List<String> names() {
        return List.of(
                "..",
                ".",
                "../../../etc/passwd",
                "/etc/passwd",
                "a/../../b",
                "..\\..\\b",
                "%2e%2e%2fb",
                "%00",
                "a\0b",
                "a\nb",
                "a\r\u001b[2Jb",
                "\u202egnp.exe",
                "\u0000",
                " ",
                "e\u0301",
                "\u00e9",
                "\ud83d\ude00",
                "\ud83d",
                "\uffff",
                "'; DROP TABLE loam_collection; --",
                "\" OR 1=1 --",
                "$(touch evil)",
                "`touch evil`",
                "${env:HOME}",
                "%s%n%d",
                "null",
                "SELECT",
                "CON",
                "default",
                "_system",
                "",
                "x".repeat(222),
                "x".repeat(223),
                "\u00e9".repeat(112),
                "x".repeat(100_000));
    }

    @Test
    void namesOfCollectionsAreRefusedOrKept() throws IOException {
        List<String> kept = new ArrayList<>();
        for (String name : names()) {
            LoamRun run = loam("create", "--text", "t", "--", name);
            if (run.code() == Loam.OK) {
                kept.add(name);
            } else {
                assertThat(oneLine(run)).as(printable(name)).isNotBlank();
            }
            LoamRun described = loam("describe", "--json", "--", name);
            assertThat(described.code() == Loam.OK)
                    .as(printable(name))
                    .isEqualTo(kept.contains(name));
            if (described.code() == Loam.OK) {
                assertThat(LoamRun.text(described.json().get(0), "collection")).isEqualTo(name);
            } else {
                oneLine(described);
            }
        }
        assertThat(kept)
                .contains("..", "'; DROP TABLE loam_collection; --", "e\u0301", "\u00e9")
                .doesNotContain("", "_system", "a\0b", "x".repeat(223));
        assertThat(
                        loam("describe", "--json").ok().json().stream()
                                .map(json -> LoamRun.text(json, "collection")))
                .containsExactlyInAnyOrderElementsOf(kept);
        assertNothingElse();
    }

    @Test
    void namesOfNamespacesAreRefusedOrKept() throws IOException {
        List<String> kept = new ArrayList<>();
        for (String name : names()) {
            LoamRun run = loam("create", "c", "--text", "t", "--namespace=" + name);
            if (run.code() == Loam.OK) {
                kept.add(name);
            } else {
                assertThat(oneLine(run)).as(printable(name)).isNotBlank();
            }
        }
        assertThat(kept).contains("..", "'; DROP TABLE loam_collection; --", "default");
        assertThat(kept).doesNotContain("", "_system", "a/../../b", "/etc/passwd", "a\0b");
        assertThat(
                        loam("describe", "--json").ok().json().stream()
                                .map(json -> LoamRun.text(json, "namespace")))
                .containsExactlyInAnyOrderElementsOf(kept);
        assertNothingElse();
    }

    @ParameterizedTest
    @MethodSource("names")
    void namesOfTopicsAndFieldsAreRefusedOrKept(String name) throws IOException {
        LoamRun topic = loam("create", "c", "--text", "t", "--topic=" + name);
        if (topic.code() == Loam.OK) {
            assertThat(LoamRun.text(loam("describe", "--json", "c").ok().json().get(0), "topic"))
                    .isEqualTo(name);
            assertThat(name).matches("[A-Za-z0-9._-]+");
        } else {
            oneLine(topic);
        }
        LoamRun field = loam("create", "d", "--keyword=" + name, "--dynamic", "ignore");
        if (field.code() == Loam.OK) {
            assertThat(loam("describe", "--json", "d").ok().out())
                    .contains(
                            io.loam.codec.json.Json.text(
                                    new io.loam.codec.json.JsonValue.JsonString(name)));
        } else {
            oneLine(field);
        }
        assertNothingElse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create c --text t --partitions 99999999999",
                "create c --text t --partitions -1",
                "create c --text t --partitions 10001",
                "create c --text t --partitions 1e3",
                "create c --text t --partitions NaN",
                "create c --vector v:99999999999",
                "create c --vector v:-1",
                "create c --vector v:1e400",
                "create c --vector v:65537",
                "manifests c --limit -1",
                "diff c 1e400 2",
                "diff c 99999999999999999999 2",
                "search c x --limit 99999999999",
                "search c x --limit -5"
            })
    void numbersOutOfRangeAreRefused(String command) throws IOException {
        LoamRun run = loam(command.split(" "));
        assertThat(run.code()).isNotEqualTo(Loam.OK);
        assertThat(run.err()).isNotBlank().doesNotContain("\tat ");
        assertThat(folder.resolve("warehouse")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"fields\":[{\"name\":\"a\",\"kind\":\"keyword\"}],\"max_fields\":1e400}",
                "{\"fields\":[{\"name\":\"a\",\"kind\":\"keyword\"}],\"max_fields\":-1}",
                "{\"fields\":[{\"name\":\"a\",\"kind\":\"keyword\"}],\"max_fields\":NaN}",
                "{\"vectors\":[{\"name\":\"v\",\"dim\":18446744073709551616}]}",
                "{\"vectors\":[{\"name\":\"v\",\"dim\":18446744073709551615}]}",
                "{\"vectors\":[{\"name\":\"../v\",\"dim\":-3}]}",
                "{\"fields\":[{\"name\":\"a\\u0000b\",\"kind\":\"keyword\"}]}",
                "{\"fields\":[{\"name\":\"a\\u001bb\",\"kind\":\"keyword\"}]}",
                "{\"fields\":[{\"name\":\"_pk\",\"kind\":\"keyword\"}]}",
                "{\"version\":1e0,\"fields\":[]}"
            })
    void schemasOutOfRangeAreRefused(String schema) throws IOException {
        Path file = Files.write(folder.resolve("s.json"), schema.getBytes(StandardCharsets.UTF_8));
        LoamRun run = loam("create", "c", "--schema", file.toString());
        assertThat(oneLine(run)).contains(file.toString());
        Files.delete(file);
        assertThat(folder.resolve("warehouse")).doesNotExist();
    }

    /** A failure stays one line whatever name is in it, and carries no terminal commands. */
    private static String oneLine(LoamRun run) {
        assertThat(run.code()).isNotEqualTo(Loam.OK);
        assertThat(run.err().strip().lines().count()).as(run.err()).isEqualTo(1);
        assertThat(run.err().strip().chars().filter(Character::isISOControl)).isEmpty();
        assertThat(run.err()).hasSizeLessThan(2_000);
        return run.err();
    }

    private static String printable(String name) {
        return io.loam.codec.json.Json.text(
                new io.loam.codec.json.JsonValue.JsonString(
                        name.length() > 60 ? name.substring(0, 60) : name));
    }

    private void assertNothingElse() throws IOException {
        loam("create", "after-" + System.nanoTime(), "--text", "t").ok();
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.map(file -> folder.relativize(file).toString()))
                    .allMatch(
                            file ->
                                    file.isEmpty()
                                            || file.equals("warehouse")
                                            || file.equals("warehouse/.tmp")
                                            || file.startsWith("warehouse/metastore.db"));
        }
        assertThat(Path.of("evil")).doesNotExist();
    }

    private LoamRun loam(String... arguments) {
        return LoamRun.of(
                Stream.concat(
                                Stream.of(
                                        arguments[0],
                                        "--warehouse",
                                        folder.resolve("warehouse").toString()),
                                Stream.of(arguments).skip(1))
                        .toArray(String[]::new));
    }
}
