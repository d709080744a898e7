package io.loam.jobs.cluster;

import io.loam.codec.json.Json;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class FlinkErrorsTest {
    @Test
    void theDeepestCauseIsTheReason() {
        String trace =
                "org.apache.flink.runtime.rest.handler.RestHandlerException: Could not execute.\n"
                        + "\tat org.apache.flink.X.y(X.java:1)\n"
                        + "Caused by: java.util.concurrent.CompletionException: wrapped\n"
                        + "\tat org.apache.flink.X.z(X.java:2)\n"
                        + "\t... 3 more\n"
                        + "Caused by: java.lang.IllegalArgumentException: unknown parameter --x\n"
                        + "\tat io.loam.Y.z(Y.java:2)\n";
        assertThat(FlinkErrors.reason(trace)).isEqualTo("unknown parameter --x");
    }

    @Test
    void anExceptionWithoutMessageIsNamed() {
        assertThat(FlinkErrors.reason("a\nCaused by: java.lang.NullPointerException\n\tat x"))
                .isEqualTo("java.lang.NullPointerException");
    }

    @Test
    void answersWithoutTracesAreShownAsTheyAre() {
        assertThat(reason("{\"errors\":[\"Not found: /x\"]}")).isEqualTo("Not found: /x");
        assertThat(reason("{\"errors\":[]}")).isEmpty();
        assertThat(reason("{\"status\":404}")).isEqualTo("{\"status\":404}");
    }

    private static String reason(String json) {
        return FlinkErrors.reason(Json.parseObject(json.getBytes(StandardCharsets.UTF_8)));
    }
}
