package io.loam.jobs.cli;

import io.loam.codec.testing.Campaign;
import io.loam.jobs.KilledCommand;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.store.FailPoint;
import io.loam.store.WarehouseOptions;
import io.loam.store.testing.MetastoreTime;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes of {@code loam erase} are killed with SIGKILL at each of its fail points, and gone on
 * with; nothing is left at the end. In the short form one erasure is killed at all of them, one
 * after the other; in the full form also an erasure at each alone.
 */
class KilledErasureITCase {
    private static final String NUMBER = "424242";
    private static final String NAME = "margarethe-of-the-hill";
    private static final String OLD_TEXT = "whatever Margarethe said in confidence";
    private static final String NEW_TEXT = "the second confession of Margarethe";
    private static final List<String> KEYS = List.of("--key", NUMBER, "--key", NAME);

    @TempDir Path folder;
    private String brokers;
    private int kills;

    @Test
    void killedAnywhereItGoesOn() throws Exception {
        List<FailPoint> points =
                Arrays.stream(FailPoint.values())
                        .filter(point -> point.name().startsWith("ERASURE_"))
                        .toList();
        assertThat(points).hasSize(6).startsWith(FailPoint.ERASURE_REQUESTED);
        try (BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            brokers = broker.bootstrapServers();
            killedAtAll("docs", points);
            for (FailPoint point : Campaign.isFull() ? points : List.<FailPoint>of()) {
                killedAtAll("docs_" + point.ordinal(), List.of(point));
            }
        }
    }

    private void killedAtAll(String collection, List<FailPoint> points) throws Exception {
        fill(collection);
        if (points.get(0) != FailPoint.ERASURE_REQUESTED) {
            LoamRun asked = loam(erase(collection, KEYS));
            assertThat(asked.failure()).contains("are not applied yet");
            loam(List.of("apply", collection)).ok();
        }
        for (FailPoint point : points) {
            boolean asks = point == FailPoint.ERASURE_REQUESTED;
            kill(point, asks ? erase(collection, KEYS) : resumed(collection));
            assertThat(state(collection)).as(point.toString()).isEqualTo(stateAt(point));
            if (asks) {
                loam(List.of("apply", collection)).ok();
                assertThat(loam(verified(collection)).code()).isEqualTo(Loam.VIOLATIONS);
            }
            assertThat(loam(List.of("get", collection, "3")).ok().out()).contains("again");
            assertThat(loam(List.of("get", collection, NUMBER)).code()).isEqualTo(Loam.NOT_FOUND);
        }
        assertThat(loam(resumed(collection)).ok().out()).contains(" bytes: 0 left");
        requireErased(collection);
    }

    private void fill(String collection) throws Exception {
        loam(List.of(
                        "create",
                        collection,
                        "--text",
                        "title",
                        "--vector",
                        "v:4",
                        "--partitions",
                        "1"))
                .ok();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lines.add(document(Integer.toString(i), "document number " + i, i));
        }
        lines.add(document(NUMBER, OLD_TEXT, 77));
        lines.add(document('"' + NAME + '"', OLD_TEXT, 78));
        apply(collection, lines);
        loam(List.of("tag", "create", collection, "first")).ok();
        apply(
                collection,
                List.of(
                        document(NUMBER, NEW_TEXT, 79),
                        document("3", "number 3 again", 3),
                        "{\"delete\":7}"));
    }

    private void apply(String collection, List<String> lines) throws Exception {
        Path file = Files.write(folder.resolve("lines.jsonl"), lines);
        loam(List.of("produce", collection, file.toString(), "--vector-field", "v=v")).ok();
        loam(List.of("apply", collection)).ok();
    }

    private static String document(String key, String title, int n) {
        return "{\"_id\":" + key + ",\"title\":\"" + title + "\",\"v\":[" + n + ".25,0.5,0.1,-7]}";
    }

    /** Its leases run out. */
    private void kill(FailPoint point, List<String> arguments) throws Exception {
        KilledCommand.at(point, folder.resolve("kill" + kills++), Loam.class, placed(arguments));
        String metastore =
                WarehouseOptions.local(folder.resolve("warehouse")).effectiveMetastoreUrl();
        MetastoreTime.pass(metastore, Duration.ofHours(1));
    }

    private static String stateAt(FailPoint point) {
        return switch (point) {
            case ERASURE_REQUESTED, ERASURE_PURGED, ERASURE_RELEASED -> "requested";
            default -> "released";
        };
    }

    private String state(String collection) {
        return LoamRun.text(
                loam(List.of("erase", collection, "--list", "--json")).ok().json().get(0), "state");
    }

    private String id(String collection) {
        return LoamRun.text(
                loam(List.of("erase", collection, "--list", "--json")).ok().json().get(0),
                "erasure");
    }

    private List<String> erase(String collection, List<String> more) throws IOException {
        Path values = Files.write(folder.resolve("values"), List.of(OLD_TEXT, NEW_TEXT));
        List<String> arguments = new ArrayList<>(List.of("erase", collection));
        arguments.addAll(List.of("--wait", "0s", "--grace", "0s"));
        arguments.addAll(List.of("--values-file", values.toString()));
        arguments.addAll(more);
        return arguments;
    }

    /** Every other time only hashes of the keys are known. */
    private List<String> resumed(String collection) throws IOException {
        List<String> more = new ArrayList<>(List.of("--resume", id(collection)));
        more.addAll(kills % 2 == 0 ? KEYS : List.of());
        return erase(collection, more);
    }

    private List<String> verified(String collection) throws IOException {
        List<String> more = new ArrayList<>(List.of("--verify", id(collection)));
        more.addAll(KEYS);
        return erase(collection, more);
    }

    private void requireErased(String collection) throws Exception {
        assertThat(state(collection)).isEqualTo("complete");
        assertThat(loam(verified(collection)).ok().out()).contains(": 0 left");
        for (String text : List.of(OLD_TEXT, NEW_TEXT, NAME, "argarethe")) {
            assertThat(filesWith(text)).as(text).isEmpty();
        }
        assertThat(loam(List.of("get", collection, NUMBER, "--tag", "first")).code())
                .isEqualTo(Loam.NOT_FOUND);
        assertThat(loam(List.of("get", collection, "7", "--tag", "first")).ok().out())
                .contains("number 7");
        apply(collection, List.of(document("100", "one more", 100)));
        assertThat(loam(List.of("verify", collection)).out()).contains("20 keys, 0 violations");
    }

    private List<Path> filesWith(String text) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder.resolve("warehouse/ns"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                        .contains(text)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private List<String> placed(List<String> arguments) {
        List<String> placed = new ArrayList<>(arguments);
        placed.addAll(List.of("--warehouse", folder.resolve("warehouse").toString()));
        if (List.of("apply", "produce", "erase", "verify").contains(arguments.get(0))) {
            placed.addAll(List.of("--brokers", brokers));
        }
        return placed;
    }

    private LoamRun loam(List<String> arguments) {
        return LoamRun.of(placed(arguments).toArray(String[]::new));
    }
}
