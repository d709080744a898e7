package io.loam.flink.connector.table;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.Tags;

import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tables and procedures that tell of a collection. */
class SystemTablesITCase extends TableTestBase {
    @BeforeEach
    void createTable() throws Exception {
        run(
                batch,
                "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '"
                        + directory.resolve("warehouse")
                        + "')");
        run(batch, "USE CATALOG loam");
        run(
                batch,
                "CREATE TABLE docs (id STRING, f DOUBLE, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('fields.f.fast' = 'false', 'partitions' = '1')");
    }

    @AfterEach
    void dropCatalog() throws Exception {
        run(batch, "USE CATALOG default_catalog");
        run(batch, "DROP CATALOG loam");
    }

    private void refused(String statement, String message) {
        assertThatThrownBy(() -> run(batch, statement)).hasStackTraceContaining(message);
    }

    @Test
    void theyTellWhatTheManifestsSay() throws Exception {
        for (String table :
                List.of("manifests", "splits", "fragments", "dead_letters", "pk_deltas", "tags")) {
            assertThat(rows(batch, "SELECT * FROM docs$" + table)).as(table).isEmpty();
        }
        run(
                batch,
                "INSERT INTO docs VALUES ('a', 1), ('b', CAST('NaN' AS DOUBLE)), ('7', 2), ('',"
                        + " 3)");
        run(batch, "INSERT INTO docs VALUES ('a', 2), ('c', 3)");
        List<Link> links = reading("docs", collection -> ManifestChain.of(collection).retained());
        assertThat(rows(batch, "SELECT * FROM docs$manifests ORDER BY version DESC"))
                .hasSize(2)
                .isEqualTo(links.stream().map(SystemTablesITCase::manifest).toList());
        assertThat(rows(batch, "SELECT * FROM docs$splits ORDER BY created_at, ulid"))
                .hasSizeGreaterThanOrEqualTo(2)
                .hasSameElementsAs(
                        links.get(0).manifest().splits().stream()
                                .map(SystemTablesITCase::split)
                                .toList());
        assertThat(
                        lines(
                                batch,
                                "SELECT version, ingest_partition, record_key, CAST(key_bytes IS"
                                        + " NULL AS STRING), reason FROM docs$dead_letters ORDER BY"
                                        + " reason"))
                .containsExactly(
                        "+I[1, 0, null, TRUE, undecodable: a string key has 1..512 bytes of UTF-8,"
                                + " not 0]",
                        "+I[1, 0, b, FALSE, undecodable: column f: JSON has no number NaN]");
        assertThat(
                        lines(
                                batch,
                                "SELECT version, written, deleted FROM docs$pk_deltas ORDER BY"
                                        + " version"))
                .containsExactly("+I[1, 2, 0]", "+I[2, 2, 0]");
        run(batch, "DELETE FROM docs WHERE id = 'a'");
        assertThat(lines(batch, "SELECT written, deleted FROM docs$pk_deltas WHERE version = 3"))
                .containsExactly("+I[0, 1]");
        assertThat(lines(batch, "SELECT * FROM docs$options"))
                .containsExactlyInAnyOrder("+I[fields.f.fast, false]", "+I[partitions, 1]");
    }

    private static Row manifest(Link link) {
        CollectionManifest manifest = link.manifest();
        return Row.of(
                manifest.version(),
                link.path(),
                manifest.kind().toString(),
                Instant.ofEpochMilli(manifest.createdAtMs()),
                manifest.liveDocCount(),
                manifest.splits().size(),
                manifest.splits().stream().mapToLong(SplitRef::deletedCount).sum(),
                new BigDecimal(Long.toUnsignedString(manifest.lanceVersion())),
                manifest.applied(),
                manifest.deadLettersTotal(),
                manifest.properties().get("loam.checkpoint"));
    }

    private static Row split(SplitRef split) {
        return Row.of(
                split.ulid().toString(),
                split.docCount(),
                split.deletedCount(),
                split.sizeBytes(),
                split.deleteBitmap().isEmpty() ? null : split.deleteBitmap(),
                split.schemaVersion(),
                Instant.ofEpochMilli(split.createdAtMs()),
                split.mergeOps());
    }

    @Test
    void fragmentsAreThoseOfAVersion() throws Exception {
        run(batch, "INSERT INTO docs VALUES ('a', 1), ('b', 2), ('c', 3)");
        run(batch, "INSERT INTO docs VALUES ('d', 4), ('b', 5)");
        run(batch, "DELETE FROM docs WHERE id = 'a'");
        List<Row> newest = rows(batch, "SELECT * FROM docs$fragments");
        long live = 0;
        long deleted = 0;
        for (Row fragment : newest) {
            long bytes = 0;
            for (String file : fragment.<String[]>getFieldAs("data_files")) {
                bytes += Files.size(ofRows(file));
            }
            assertThat(fragment.getField("data_bytes")).isEqualTo(bytes);
            long gone = fragment.<Long>getFieldAs("deleted_rows");
            if (gone > 0) {
                assertThat(ofRows(fragment.getFieldAs("deletion_file"))).isRegularFile();
            } else {
                assertThat(fragment.getField("deletion_file")).isNull();
            }
            assertThat(fragment.<Long>getFieldAs("live_rows"))
                    .isPositive()
                    .isEqualTo(fragment.<Long>getFieldAs("physical_rows") - gone);
            live += fragment.<Long>getFieldAs("live_rows");
            deleted += gone;
        }
        assertThat(live).isEqualTo(3);
        assertThat(deleted).isPositive();
        String first = "SELECT SUM(physical_rows), SUM(deleted_rows) FROM docs$fragments ";
        assertThat(lines(batch, first + "/*+ OPTIONS('scan.version' = '1') */"))
                .containsExactly("+I[3, 0]");
        long made =
                reading("docs", collection -> ManifestChain.of(collection).open(1).createdAtMs());
        assertThat(lines(batch, first + "/*+ OPTIONS('scan.timestamp-millis' = '" + made + "') */"))
                .containsExactly("+I[3, 0]");
        String asOf =
                " FOR SYSTEM_TIME AS OF "
                        + timestamp(
                                Instant.ofEpochMilli(made), batch.getConfig().getLocalTimeZone());
        assertThat(lines(batch, first + asOf)).containsExactly("+I[3, 0]");
        assertThat(lines(batch, "SELECT SUM(documents) FROM docs$splits" + asOf))
                .containsExactly("+I[3]");
    }

    private Path ofRows(String file) throws IOException {
        String folder = reading("docs", collection -> collection.paths().lance());
        return directory.resolve("warehouse").resolve(folder).resolve(file);
    }

    @Test
    void aVersionIsNamedWhereOneIsReadAndInOneWay() throws Exception {
        run(batch, "INSERT INTO docs VALUES ('a', 1)");
        String fragments = "SELECT * FROM docs$fragments /*+ OPTIONS(";
        refused(
                fragments + "'scan.version' = '7') */",
                "cannot read fragments of table default.docs: version 7 of collection");
        refused(
                fragments + "'scan.version' = '1', 'scan.timestamp-millis' = '5') */",
                "'scan.timestamp-millis' = '5' names the version to read");
        refused(
                fragments + "'scan.mode' = 'full') */",
                "table default.docs$fragments: unknown option 'scan.mode'; a version is named by"
                        + " one of [scan.tag, scan.timestamp-millis, scan.version]");
        refused(fragments + "'scan.version' = 'x') */", "scan.version");
        refused(
                "SELECT * FROM docs$manifests /*+ OPTIONS('scan.version' = '1') */",
                "table default.docs$manifests is read as it is now and has no options:"
                        + " {scan.version=1}");
        refused(
                "SELECT * FROM docs$options FOR SYSTEM_TIME AS OF TIMESTAMP '2024-02-29 12:00:00'",
                "FOR SYSTEM_TIME AS OF means nothing");
        refused(
                "SELECT * FROM docs$fragments FOR SYSTEM_TIME AS OF TIMESTAMP '2024-02-29"
                        + " 12:00:00'",
                "cannot be opened as of 2024-02-29T");
    }

    @Test
    void theyAreReadOnly() throws Exception {
        refused("INSERT INTO docs$options VALUES ('a', 'b')", "cannot be written");
        refused("DROP TABLE docs$options", "cannot be created, altered or dropped");
        refused("ALTER TABLE docs$options SET ('a' = 'b')", "cannot be created, altered");
        refused(
                "CREATE TABLE docs$options (id INT, PRIMARY KEY (id) NOT ENFORCED)",
                "cannot be created, altered or dropped");
        refused("SELECT * FROM docs$rumours", "Object 'docs$rumours' not found");
        refused("SELECT * FROM papers$options", "Object 'papers$options' not found");
        assertThat(lines(batch, "SHOW TABLES")).containsExactly("+I[docs]");
    }

    @Test
    void aCollectionIsVerified() throws Exception {
        run(batch, "INSERT INTO docs VALUES ('a', 1), ('b', 2)");
        assertThat(lines(batch, "SHOW PROCEDURES FROM sys"))
                .contains("+I[verify]", "+I[gc]", "+I[create_tag]");
        for (String call :
                List.of(
                        "CALL sys.verify('default.docs')",
                        "CALL loam.sys.verify(`table` => 'docs')")) {
            List<String> told = lines(batch, call);
            assertThat(told).contains("+I[checked, keys, 2]");
            assertThat(told.get(told.size() - 1))
                    .isEqualTo("+I[verified, 2 keys, 0 violations, 0]");
        }
        refused("CALL sys.verify('papers')", "there is no collection \"papers\"");
        refused("CALL sys.verify('a.b.c')", "give 'table' or 'database.table', not 'a.b.c'");
        refused("CALL sys.falsify('docs')", "falsify");
    }

    @Test
    void versionsHaveNamesAndGarbageIsCollected() throws Exception {
        run(batch, "INSERT INTO docs VALUES ('a', 1)");
        run(batch, "INSERT INTO docs VALUES ('a', 2)");

        assertThat(lines(batch, "CALL sys.create_tag('docs', 'live')"))
                .containsExactly("+I[live, 2, null]");
        assertThat(
                        rows(
                                        batch,
                                        "CALL sys.create_tag(`table` => 'default.docs', tag =>"
                                                + " 'first', at_version => 1, description =>"
                                                + " 'x', lifetime => '2 d', protect => TRUE)")
                                .get(0)
                                .getField(2))
                .isNotNull();
        List<Tag> tags = reading("docs", collection -> new Tags(collection).list());
        assertThat(tags).extracting(Tag::name).containsExactly("first", "live");
        assertThat(tags.get(0).description()).isEqualTo("x");
        assertThat(tags.get(0).version()).isEqualTo(1);
        refused("DROP TABLE docs", "it is protected by the tag first; delete it first");
        refused("CALL sys.create_tag('docs', 'first')", "has a tag \"first\" already");
        refused("CALL sys.create_tag(`table` => 'docs', tag => 'x', at_version => 9)", "version 9");
        refused(
                "CALL sys.create_tag(`table` => 'docs', tag => 'x', lifetime => 'soon')",
                "lifetime 'soon' is no time");
        refused(
                "CALL sys.create_tag(`table` => 'docs', tag => 'x', at_version => 1, token =>"
                        + " 'v1:')",
                "give at_version or token, not both");
        assertThat(lines(batch, "CALL sys.delete_tag('docs', 'first')"))
                .containsExactly("+I[first]");
        refused("CALL sys.delete_tag('docs', 'first')", "it has live");
        assertThat(lines(batch, "CALL sys.expire_tags('docs')")).isEmpty();

        List<String> planned = lines(batch, "CALL sys.gc(dry_run => TRUE)");
        assertThat(planned)
                .filteredOn(line -> line.startsWith("+I[would go, "))
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(line -> line.contains("descriptor of a unit that a retained version"));
        assertThat(planned.get(planned.size() - 1))
                .startsWith("+I[collected, default.docs, ")
                .contains(" bytes would go; kept ");
        assertThat(lines(batch, "CALL sys.gc(`table` => 'docs', max_deletes => 1)"))
                .hasSize(2)
                .first()
                .asString()
                .startsWith("+I[deleted, ");
        assertThat(lines(batch, "CALL sys.gc()")).hasSize(planned.size() - 1);
        assertThat(lines(batch, "CALL sys.gc()"))
                .singleElement()
                .asString()
                .startsWith("+I[collected, default.docs, 0 objects of 0 bytes deleted; kept ");
        assertThat(lines(batch, "SELECT * FROM docs")).containsExactly("+I[a, 2.0]");
    }

    @Test
    void aDamageIsToldOf() throws Exception {
        run(batch, "INSERT INTO docs VALUES ('a', 1)");
        reading(
                "docs",
                collection -> {
                    CollectionManifest live = collection.live().manifest();
                    collection.objects().delete(live.pkDelta());
                    return live;
                });
        assertThat(lines(batch, "CALL sys.verify('docs')"))
                .anyMatch(line -> line.startsWith("+I[violation, "))
                .anyMatch(line -> line.startsWith("+I[verified, 1 keys, "));
    }
}
