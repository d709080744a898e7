package io.loam.flink.connector.table;

import io.loam.flink.connector.source.ScanMode;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Options that say where a scan starts. */
class ScanStartTest {
    private static ScanStart of(Map<String, String> options) {
        return ScanStart.of(Configuration.fromMap(options));
    }

    private static void refused(String message, Map<String, String> options) {
        assertThatThrownBy(() -> of(options))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void optionsAreUnderstood() {
        ScanStart newest = of(Map.of());
        assertThat(newest)
                .isEqualTo(
                        new ScanStart(ScanMode.DEFAULT, null, null, null, Duration.ofSeconds(1)));
        assertThat(newest.isNewest()).isTrue();
        ScanStart changes = of(Map.of("scan.mode", "from-version", "scan.version", "7"));
        assertThat(changes.mode()).isEqualTo(ScanMode.FROM_VERSION);
        assertThat(changes.version()).isEqualTo(7);
        assertThat(changes.lookedUp()).isEqualTo(ReadVersion.NEWEST);
        assertThat(of(Map.of("scan.version", "7")).lookedUp())
                .isEqualTo(new ReadVersion(7L, null, null));
        assertThat(of(Map.of("scan.timestamp-millis", "5")).lookedUp())
                .isEqualTo(new ReadVersion(null, 5L, null));
        ScanStart tagged = of(Map.of("scan.tag", "first"));
        assertThat(tagged.lookedUp()).isEqualTo(new ReadVersion(null, null, "first"));
        assertThat(tagged.isNewest()).isFalse();
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() {
        refused(
                "'scan.mode' = 'from-version' needs 'scan.version'",
                Map.of("scan.mode", "from-version"));
        refused(
                "'scan.mode' = 'full' does not go with 'scan.version' = '3'; to read changes after"
                        + " a version, give 'scan.mode' = 'from-version'",
                Map.of("scan.mode", "full", "scan.version", "3"));
        refused(
                "'scan.timestamp-millis' = '5' names the version to read",
                Map.of("scan.mode", "latest", "scan.timestamp-millis", "5"));
        refused(
                "'scan.timestamp-millis' = '5' names the version to read",
                Map.of("scan.version", "1", "scan.timestamp-millis", "5"));
        refused(
                "'scan.timestamp-millis' = '5' names the version to read",
                Map.of("scan.tag", "first", "scan.timestamp-millis", "5"));
        refused(
                "'scan.tag' = 'first' names the version to read and goes with no other option",
                Map.of("scan.version", "1", "scan.tag", "first"));
        refused(
                "'scan.tag' = 'first' names the version to read",
                Map.of("scan.mode", "latest", "scan.tag", "first"));
        refused("versions start at 1", Map.of("scan.version", "-1"));
        refused("give 1 ms or more", Map.of("scan.discovery-interval", "0 s"));
    }
}
