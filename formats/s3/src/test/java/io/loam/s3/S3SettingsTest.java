package io.loam.s3;

import io.loam.store.object.ObjectStore;
import io.loam.store.spi.ObjectStoreProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class S3SettingsTest {
    private static final Map<String, String> KEYS =
            Map.of(
                    S3Options.ACCESS_KEY,
                    "me",
                    S3Options.SECRET_KEY,
                    "hush",
                    S3Options.SESSION_TOKEN,
                    "mum");

    private static Map<String, String> with(String... pairs) {
        Map<String, String> all = new HashMap<>(KEYS);
        for (int i = 0; i < pairs.length; i += 2) {
            all.put(pairs[i], pairs[i + 1]);
        }
        return all;
    }

    @Test
    void readsLocationsAndDefaults() {
        S3Settings plain = S3Settings.parse("s3://b-1.x", Map.of());
        assertThat(plain.bucket()).isEqualTo("b-1.x");
        assertThat(plain.root()).isEmpty();
        assertThat(plain.pathStyle()).isFalse();
        assertThat(plain.region()).isNull();
        assertThat(plain.accessKey()).isNull();
        assertThat(plain.timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(plain.uri(plain.key("ns/1/a"))).isEqualTo("s3://b-1.x/ns/1/a");
        assertThat(plain.nativeOptions())
                .isEqualTo(Map.of("aws_virtual_hosted_style_request", "true"));

        S3Settings deep = S3Settings.parse("S3A://b-1/a/b_b/", Map.of());
        assertThat(deep.root()).isEqualTo("a/b_b/");
        assertThat(deep.key("x")).isEqualTo("a/b_b/x");
        assertThat(deep.path("a/b_b/x")).isEqualTo("x");
        assertThat(deep.uri("a/b_b/x")).isEqualTo("s3://b-1/a/b_b/x");
        assertThatThrownBy(() -> deep.key("../x")).hasMessageContaining("bad object path");
    }

    @Test
    void readsSettings() {
        S3Settings settings =
                S3Settings.parse(
                        "s3://bucket/w",
                        with(S3Options.ENDPOINT, "http://h:1/", S3Options.TIMEOUT_SECONDS, "5"));
        assertThat(settings.pathStyle()).isTrue();
        assertThat(settings.region()).isEqualTo("us-east-1");
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.nativeOptions())
                .isEqualTo(
                        Map.of(
                                "aws_endpoint", "http://h:1",
                                "allow_http", "true",
                                "aws_region", "us-east-1",
                                "aws_access_key_id", "me",
                                "aws_secret_access_key", "hush",
                                "aws_session_token", "mum",
                                "aws_virtual_hosted_style_request", "false"));
        assertThat(settings.toString()).isEqualTo("s3://bucket/w/ at http://h:1");

        S3Settings hosted =
                S3Settings.parse(
                        "s3://bucket/w",
                        with(
                                S3Options.ENDPOINT,
                                "https://h:1",
                                S3Options.REGION,
                                "eu-1",
                                S3Options.PATH_STYLE_ACCESS,
                                "False"));
        assertThat(hosted.pathStyle()).isFalse();
        assertThat(hosted.nativeOptions())
                .containsEntry("aws_endpoint", "https://bucket.h:1")
                .containsEntry("allow_http", "false")
                .containsEntry("aws_region", "eu-1")
                .containsEntry("aws_virtual_hosted_style_request", "true");
    }

    @ParameterizedTest
    @CsvSource({
        "s3://",
        "s3:///x",
        "s3://b",
        "hdfs://host/x",
        "s3://bucket/a/../b",
        "s3://-b/x",
        "s3://bucket/a b",
        "s3://bucket/%61"
    })
    void refusesLocations(String location) {
        assertThatThrownBy(() -> S3Settings.parse(location, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a warehouse in S3: " + location);
    }

    @ParameterizedTest
    @CsvSource({
        "s3.path.style.access, true, it is s3.path-style-access here",
        "client.region, x, it is s3.region here",
        "s3.endpont, x, there are s3.access-key",
        "s3.path-style-access, yes, s3.path-style-access is yes",
        "s3.endpoint, h:1, s3.endpoint is not a URL",
        "s3.endpoint, http://u:hush@h:1, s3.endpoint is not a URL",
        "s3.timeout-seconds, 0, is 0",
        "s3.timeout-seconds, ten, is ten"
    })
    void refusesSettings(String name, String value, String problem) {
        assertThatThrownBy(() -> S3Settings.parse("s3://bucket", with(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem)
                .hasMessageNotContaining("hush");
    }

    @Test
    void refusesHalfOfThePair() {
        assertThatThrownBy(
                        () -> S3Settings.parse("s3://bucket", Map.of(S3Options.SECRET_KEY, "hush")))
                .hasMessageContaining("s3.access-key is missing")
                .hasMessageNotContaining("hush");
        assertThatThrownBy(
                        () -> S3Settings.parse("s3://bucket", Map.of(S3Options.ACCESS_KEY, "me")))
                .hasMessageContaining("s3.secret-key is missing");
        assertThatThrownBy(
                        () ->
                                S3Settings.parse(
                                        "s3://bucket", Map.of(S3Options.SESSION_TOKEN, "mum")))
                .hasMessageContaining("without s3.access-key");
    }

    @Test
    void everySettingIsDocumented() throws Exception {
        for (String page : List.of("operations/s3.md", "reference/options.md")) {
            assertThat(Files.readString(Path.of("..", "..", "docs").resolve(page)))
                    .contains(S3Options.all().stream().map(name -> "`" + name + "`").toList());
        }
    }

    @Test
    void isFoundAsAService() throws Exception {
        ObjectStoreProvider provider =
                ServiceLoader.load(ObjectStoreProvider.class).findFirst().orElseThrow();
        assertThat(provider.schemes()).containsExactlyInAnyOrder("s3", "s3a");
        try (ObjectStore store =
                provider.open("s3://bucket/w", with(S3Options.ENDPOINT, "http://localhost:1"))) {
            assertThat(store.toString()).doesNotContain("hush", "mum");
            assertThat(store.uri("a/b")).isEqualTo("s3://bucket/w/a/b");
        }
    }
}
