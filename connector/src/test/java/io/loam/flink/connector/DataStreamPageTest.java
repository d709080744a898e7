package io.loam.flink.connector;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The code on the page is the code that compiles and runs. */
class DataStreamPageTest {
    private static final Path PAGE = Path.of("..", "docs", "datastream.md");
    private static final Path CODE =
            Path.of("src/test/java", DataStreamExample.class.getName().replace('.', '/') + ".java");

    @Test
    void thePageHasTheExample() throws IOException {
        String page = between(Files.readString(PAGE), "```java\n", "```\n");
        String code = between(Files.readString(CODE), "    // example\n", "    // end of example");
        assertThat(page).isEqualTo(code.replaceAll("(?m)^ {4}", ""));
    }

    private static String between(String text, String from, String to) {
        int begin = text.indexOf(from) + from.length();
        return text.substring(begin, text.indexOf(to, begin));
    }
}
