package io.loam.jobs.cluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/** What the SQL client prints is handed on, and looked at for failures. */
class ScriptOutputTest {

    private static boolean failed(String printed) {
        byte[] bytes = printed.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream handedOn = new ByteArrayOutputStream();
        ScriptOutput output = new ScriptOutput(new ByteArrayInputStream(bytes), handedOn);
        output.run();
        assertThat(handedOn.toByteArray()).isEqualTo(bytes);
        return output.failed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[31;1m[ERROR] Could not execute SQL statement. Reason:\njava.lang.X\n",
                "Flink SQL> SELECT 1\u001b[31;1m[ERROR] Could not execute SQL statement. Reason:\nx",
                "a\r\n\u001b[31;1m[ERROR] Could not execute SQL statement. Reason:",
                "\nFailed to initialize from sql script: file:/x. Please refer to the LOG\n"
            })
    void aFailureIsSeen(String printed) {
        assertThat(failed(printed)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Flink SQL> SELECT '[ERROR] Could not execute SQL statement. Reason:\n",
                "| \u001b[31;1m[ERROR] Could not execute SQL statement. Reason: |\n",
                "| Failed to initialize from sql script: |\n",
                "[INFO] Execute statement succeeded.\n"
            })
    void whatIsNoneIsNot(String printed) {
        assertThat(failed(printed)).isFalse();
    }

    @Test
    void longLinesPass() {
        String line = "Flink SQL> SELECT '" + "é".repeat(100_000) + "'";
        String failure = "\u001b[31;1m[ERROR] Could not execute SQL statement. Reason:";
        assertThat(failed(line + "\n")).isFalse();
        assertThat(failed(line + failure + "\nx")).isTrue();
        assertThat(failed(failure + line)).isFalse();
    }
}
