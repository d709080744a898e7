package io.loam.flink.connector.table;

import io.loam.flink.connector.OptionPage;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.factories.FactoryUtil;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Options of a catalog. */
class LoamCatalogFactoryTest {
    private static final Path PAGE = Path.of("..", "docs", "sql.md");

    @Test
    void allOptionsAreListedAndDescribed() throws IOException {
        LoamCatalogFactory factory = new LoamCatalogFactory();
        Set<ConfigOption<?>> options = new HashSet<>(factory.requiredOptions());
        options.addAll(factory.optionalOptions());
        assertThat(options).hasSameElementsAs(LoamCatalogFactory.all());
        options.removeAll(LoamConnectorOptions.all());
        assertThat(options).containsExactly(LoamCatalogFactory.DEFAULT_DATABASE);
        assertThat(Files.readString(PAGE))
                .contains(OptionPage.row(LoamCatalogFactory.DEFAULT_DATABASE));
    }

    private static void refused(String message, String... options) {
        Map<String, String> all = new HashMap<>();
        all.put("type", "loam");
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        assertThatThrownBy(
                        () ->
                                FactoryUtil.createCatalog(
                                        "c",
                                        all,
                                        new Configuration(),
                                        LoamCatalogFactoryTest.class.getClassLoader()))
                .hasStackTraceContaining(message);
    }

    @Test
    void optionsAreChecked() {
        refused("warehouse");
        refused("Unsupported options", "warehouse", "/tmp/warehouse", "werehouse", "x");
        refused(
                "which has no settings such as s3.endpoint",
                "warehouse",
                "/tmp/warehouse",
                "s3.endpoint",
                "x");
        refused("retry.attempts", "warehouse", "/tmp/warehouse", "retry.attempts", "many");
    }
}
