package io.loam.flink.connector.table;

import io.loam.flink.connector.OptionPage;

import org.apache.flink.configuration.ConfigOption;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The page's table of options is the constants, line by line. */
class LoamConnectorOptionsTest {
    private static final Path PAGE = Path.of("..", "docs", "sql.md");

    @Test
    void everyConstantIsListed() throws IllegalAccessException {
        List<Object> constants = new ArrayList<>();
        for (Field field : LoamConnectorOptions.class.getFields()) {
            if (field.getType() == ConfigOption.class) {
                constants.add(field.get(null));
            }
        }
        assertThat(constants).isNotEmpty().hasSameElementsAs(LoamConnectorOptions.all());
    }

    @Test
    void thePageIsComplete() throws IOException {
        String expected =
                String.join(
                        "\n", LoamConnectorOptions.all().stream().map(OptionPage::row).toList());
        assertThat(Files.readString(PAGE))
                .contains("| option | default | meaning |\n|---|---|---|\n" + expected + "\n\n");
    }
}
