package io.loam.flink.connector.maintenance;

import io.loam.flink.connector.OptionPage;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The reference page is the constants, line by line. */
class MaintenanceJobOptionsTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "options.md");

    @Test
    void everyConstantIsListed() throws IllegalAccessException {
        List<Object> constants = new ArrayList<>();
        for (Field field : MaintenanceJobOptions.class.getFields()) {
            constants.add(field.get(null));
        }
        assertThat(constants).isNotEmpty().hasSameElementsAs(MaintenanceJobOptions.all());
    }

    @Test
    void thePageIsComplete() throws IOException {
        List<String> rows =
                Files.readAllLines(PAGE).stream()
                        .filter(line -> line.startsWith("| `loam.maintenance."))
                        .toList();
        assertThat(rows)
                .containsExactlyElementsOf(
                        MaintenanceJobOptions.all().stream().map(OptionPage::row).toList());
    }
}
