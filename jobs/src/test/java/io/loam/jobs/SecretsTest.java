package io.loam.jobs;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.LinkedHashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SecretsTest {
    private static final Map<String, String> GIVEN =
            Map.of("metastore-user", "u", "s3.access-key", "a", "warehouse", "s3://b/w");
    private static final Configuration NONE = new Configuration();

    private static Map<String, String> with(String... more) {
        Map<String, String> parameters = new LinkedHashMap<>(GIVEN);
        for (int i = 0; i < more.length; i += 2) {
            parameters.put(more[i], more[i + 1]);
        }
        return parameters;
    }

    @Test
    void whatProvesSomebodyIsNotSent() {
        assertThat(
                        Secrets.withheld(
                                with(
                                        "metastore-password", "p",
                                        "s3.secret-key", "k",
                                        "s3.session-token", "t")))
                .isEqualTo(
                        with(
                                "secrets-not-sent",
                                "metastore-password,s3.secret-key,s3.session-token"));
        assertThat(Secrets.withheld(GIVEN)).isEqualTo(GIVEN);
    }

    @Test
    void flinksConfigurationComesBeforeTheEnvironment() {
        Configuration flink = new Configuration();
        flink.setString("loam.metastore-password", "configured");
        Map<String, String> environment =
                Map.of(
                        "LOAM_METASTORE_PASSWORD", "of the environment",
                        "LOAM_S3_SECRET_KEY", "key",
                        "LOAM_S3_SESSION_TOKEN", "token");
        assertThat(
                        Secrets.added(
                                with("secrets-not-sent", "metastore-password"), flink, environment))
                .isEqualTo(
                        with(
                                "metastore-password", "configured",
                                "s3.secret-key", "key",
                                "s3.session-token", "token"));
    }

    @Test
    void whatIsSentIsTaken() {
        Map<String, String> sent = with("metastore-password", "p", "s3.secret-key", "k");
        Map<String, String> environment =
                Map.of(
                        "LOAM_METASTORE_PASSWORD", "another",
                        "LOAM_S3_SECRET_KEY", "another",
                        "LOAM_S3_SESSION_TOKEN", "of another key");
        assertThat(Secrets.added(sent, NONE, environment)).isEqualTo(sent);
    }

    @Test
    void secretsOfNobodyAreNotLookedFor() {
        Map<String, String> anonymous = Map.of("warehouse", "/w");
        assertThat(Secrets.added(anonymous, NONE, Map.of("LOAM_S3_SECRET_KEY", "k")))
                .isEqualTo(anonymous);
    }

    @Test
    void aDatabaseMayAskForNoPassword() {
        Map<String, String> user = Map.of("metastore-user", "u");
        assertThat(Secrets.added(user, NONE, Map.of())).isEqualTo(user);
    }

    @Test
    void aMissingOneIsNamedWithThePlacesForIt() {
        assertThatThrownBy(
                        () ->
                                Secrets.added(
                                        Map.of(
                                                "metastore-user",
                                                "u",
                                                "secrets-not-sent",
                                                "metastore-password"),
                                        NONE,
                                        Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "metastore-password of --metastore-user was not sent with the job, and the"
                                + " cluster has none: set loam.metastore-password in Flink's"
                                + " configuration, or LOAM_METASTORE_PASSWORD in the environment of"
                                + " the job manager, and start it anew; or send it (loam apply"
                                + " --send-secrets)");
        assertThatThrownBy(() -> Secrets.added(Map.of("s3.access-key", "a"), NONE, Map.of()))
                .hasMessageStartingWith("s3.secret-key of --s3.access-key was not sent");
        assertThatThrownBy(() -> Secrets.added(Map.of("secrets-not-sent", "pin"), NONE, Map.of()))
                .hasMessageStartingWith("--secrets-not-sent pin: there are [metastore-password, ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"metastore-password", "s3.secret-key", "s3.session-token"})
    void flinkShowsNoneOfThem(String secret) {
        assertThat(Secrets.isSecret(secret)).isTrue();
        assertThat(GlobalConfiguration.isSensitive("loam." + secret)).isTrue();
    }
}
