package io.loam.flink.connector.table;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What tables have of their catalog, and what they may say themselves. */
class CatalogSettingsTest {
    private static final ObjectIdentifier NAME = ObjectIdentifier.of("c", "shop", "docs");
    private static final CatalogSettings SETTINGS =
            new CatalogSettings(
                    "c",
                    Map.of(
                            "warehouse", "s3://bucket/x",
                            "metastore.password", "hush",
                            "s3.secret-key", "hush",
                            "properties.bootstrap.servers", "catalog:9092",
                            "properties.client.id", "catalog"));

    private static ResolvedCatalogTable table(Map<String, String> options) {
        ResolvedSchema schema = ResolvedSchema.of(List.of(Column.physical("id", DataTypes.INT())));
        return new ResolvedCatalogTable(
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(options)
                        .build(),
                schema);
    }

    @Test
    void aTableIsWhereItsNamesSay() {
        ResolvedCatalogTable table =
                table(
                        Map.of(
                                "connector", "loam",
                                "partitions", "2",
                                "properties.client.id", "table"));
        assertThat(SETTINGS.located(NAME, table).getOptions())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "warehouse", "s3://bucket/x",
                                "metastore.password", "hush",
                                "s3.secret-key", "hush",
                                "properties.bootstrap.servers", "catalog:9092",
                                "properties.client.id", "table",
                                "namespace", "shop",
                                "collection", "docs",
                                "auto-create", "false",
                                "partitions", "2"));
        assertThat(SETTINGS.kept(NAME, table.getOptions()))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("partitions", "2", "properties.client.id", "table"));
    }

    @Test
    void optionsOfColumnsToComeWait() {
        ResolvedCatalogTable table =
                table(Map.of("fields.id.fast", "false", "fields.tag.kind", "keyword"));
        assertThat(SETTINGS.located(NAME, table).getOptions())
                .containsKeys("fields.id.fast", "fields.tag.kind");
        assertThat(SETTINGS.locatedAsAltered(NAME, table).getOptions())
                .containsKey("fields.id.fast")
                .doesNotContainKey("fields.tag.kind");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "warehouse",
                "metastore.url",
                "namespace",
                "collection",
                "auto-create",
                "s3.endpoint",
                "retry.attempts"
            })
    void whatIsTheCatalogsIsRefused(String option) {
        assertThatThrownBy(() -> SETTINGS.kept(NAME, Map.of(option, "x")))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(
                        "table c.shop.docs: option " + option + " belongs to the catalog");
    }
}
