package io.loam.flink.sql;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** What the jar for Flink's lib folder bundles: this list, and nothing else. */
class SqlJarITCase {
    private static final String SHADED = "io/loam/shaded/";

    /** Folders of classes and of what they read; a library that brings others has to come here. */
    private static final List<String> BUNDLED =
            List.of(
                    "io/loam/(codec|store|s3|lance|tantivy|hnsw|flink)/",
                    SHADED
                            + "com/(google/(protobuf|common|thirdparty|flatbuffers)|fasterxml/jackson"
                            + "|dynatrace/hash4j)/",
                    SHADED + "org/(roaringbitmap|apache/commons/codec|checkerframework)/",
                    "org/apache/flink/(connector|streaming/connectors)/kafka/",
                    "org/apache/flink/kafka/shaded/org/apache/kafka/",
                    "org/apache/flink/streaming/util/serialization/JSONKeyValue",
                    "(common/message|kafka)/.*",
                    "org/apache/lucene/",
                    "org/tartarus/snowball/",
                    "software/amazon/(awssdk|eventstream)/",
                    "mime\\.types",
                    "org/reactivestreams/",
                    "org/lance/",
                    "nativelib/linux-x86-64/liblance_jni\\.so",
                    "org/apache/arrow/",
                    "arrow_cdata_jni/x86_64/libarrow_cdata_jni\\.so",
                    "io/netty/(buffer|util)/",
                    "io/questdb/jar/jni/",
                    "io/indextables/tantivy4java/",
                    "native/libtantivy4java\\.so",
                    "com/github/luben/zstd/",
                    "linux/amd64/libzstd-jni-[0-9.-]+\\.so",
                    "org/sqlite/",
                    "sqlite-jdbc\\.properties",
                    "org/postgresql/");

    /** The table and source of Kafka, and its client under the name Flink's own jar gives it. */
    private static final String KAFKA =
            "(connector/kafka/.*|streaming/connectors/kafka/.*|kafka/shaded/org/apache/kafka/.*"
                    + "|streaming/util/serialization/JSONKeyValueDeserializationSchema\\.class)";

    private static Path jar;
    private static Set<String> entries;

    @BeforeAll
    static void read() throws IOException {
        jar = SqlJar.path();
        entries = SqlJar.entries(jar);
    }

    @Test
    void holdsNothingThatIsNotListed() {
        String listed = "(META-INF|" + String.join("|", BUNDLED) + ").*";
        assertThat(entries).filteredOn(entry -> !entry.matches(listed)).isEmpty();
    }

    @Test
    void everythingListedIsThere() {
        for (String part : BUNDLED) {
            assertThat(matching(part + ".*")).as(part).isNotEmpty();
        }
    }

    /** Flink has these itself; a second copy would meet the first. */
    @Test
    void nothingOfFlinkLoggingOrTests() {
        assertThat(
                        matching(
                                "(org/apache/(commons|logging|log4j)|org/slf4j|org/junit|junit"
                                        + "|org/assertj|org/mockito|scala|picocli|javax)/.*|log4j.*"))
                .isEmpty();
        assertThat(matching("org/apache/flink/.*"))
                .filteredOn(entry -> !entry.matches("org/apache/flink/" + KAFKA))
                .isEmpty();
    }

    private static List<String> matching(String regex) {
        Pattern pattern = Pattern.compile(regex);
        return entries.stream().filter(entry -> pattern.matcher(entry).matches()).toList();
    }

    @Test
    void nativeLibrariesAreThoseOfTheSystemThatIsSupported() {
        assertThat(matching(".*\\.(so|dll|dylib|jnilib)"))
                .allMatch(entry -> entry.matches("(.*linux.*|.*/Linux/.*|native/.*|arrow_.*)\\.so"))
                .hasSize(5);
    }

    /** Every class of the modules is in it, under its own name. */
    @Test
    void everyClassOfOursIsThere() throws IOException {
        for (String module :
                List.of(
                        "formats/codec",
                        "formats/store",
                        "formats/s3",
                        "formats/lance",
                        "formats/tantivy",
                        "formats/hnsw",
                        "operators",
                        "connector")) {
            Path classes = SqlJar.ROOT.resolve(module).resolve("target/classes");
            try (Stream<Path> files = Files.walk(classes)) {
                List<String> ours =
                        files.filter(file -> file.toString().endsWith(".class"))
                                .map(file -> classes.relativize(file).toString())
                                .toList();
                assertThat(ours).as(module).isNotEmpty();
                assertThat(ours).as(module).allMatch(entries::contains);
            }
        }
    }

    @Test
    void servicesOfAllAreMergedAndNameClassesOfTheJar() throws IOException {
        Map<String, List<String>> services = services();
        assertThat(services.get("org.apache.flink.table.factories.Factory"))
                .contains(
                        "io.loam.flink.connector.table.LoamDynamicTableFactory",
                        "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicTableFactory",
                        "org.apache.flink.streaming.connectors.kafka.table"
                                + ".UpsertKafkaDynamicTableFactory");
        assertThat(services.get("java.sql.Driver"))
                .containsExactlyInAnyOrder("org.sqlite.JDBC", "org.postgresql.Driver");
        assertThat(services.get("io.loam.store.spi.RowStoreProvider"))
                .containsExactly("io.loam.lance.LanceRowStoreProvider");
        assertThat(services.get("io.loam.store.spi.SplitStoreProvider"))
                .containsExactly("io.loam.tantivy.TantivySplitStoreProvider");
        assertThat(services.get("io.loam.store.spi.ObjectStoreProvider"))
                .contains("io.loam.s3.S3ObjectStoreProvider");
        services.forEach(
                (type, names) -> {
                    // Netty names one that only who debugs it has.
                    if (!type.startsWith("reactor.")) {
                        for (String name : names) {
                            assertThat(name)
                                    .as(type)
                                    .matches(n -> entries.contains(n.replace('.', '/') + ".class"));
                        }
                    }
                });
    }

    private static Map<String, List<String>> services() throws IOException {
        Map<String, List<String>> services = new HashMap<>();
        String folder = "META-INF/services/";
        for (String entry : entries) {
            if (entry.startsWith(folder)) {
                List<String> names =
                        SqlJar.text(jar, entry)
                                .lines()
                                .map(line -> line.replaceFirst("#.*", "").strip())
                                .filter(line -> !line.isEmpty())
                                .toList();
                services.put(entry.substring(folder.length()), names);
            }
        }
        return services;
    }

    private static String licence(String of) {
        try {
            return SqlJar.text(jar, "META-INF/licenses/LICENSE." + of);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void oneLicenceOneNoticeAndNoEntryTwice() throws IOException {
        assertThat(SqlJar.text(jar, "META-INF/LICENSE"))
                .isEqualTo(Files.readString(SqlJar.ROOT.resolve("LICENSE")));
        assertThat(SqlJar.text(jar, "META-INF/NOTICE")).contains("Apache Lucene", "AWS SDK");
        assertThat(matching("META-INF/licenses/[^/]+"))
                .containsExactly(
                        "META-INF/licenses/LICENSE.checker-qual",
                        "META-INF/licenses/LICENSE.lucene",
                        "META-INF/licenses/LICENSE.postgresql",
                        "META-INF/licenses/LICENSE.protobuf",
                        "META-INF/licenses/LICENSE.sqlite-jdbc",
                        "META-INF/licenses/LICENSE.zstd",
                        "META-INF/licenses/LICENSE.zstd-jni",
                        "META-INF/licenses/NOTICE.kafka-clients");
        Map.of(
                        "lucene", "Brics automaton",
                        "protobuf", "Google's data interchange format",
                        "zstd", "Meta Platforms",
                        "zstd-jni", "Luben Karavelov")
                .forEach((of, part) -> assertThat(licence(of)).as(of).contains(part));
        assertThat(
                        matching(
                                "META-INF/.*\\.(SF|DSA|RSA)|(META-INF/)?(LICENSE|NOTICE)\\.(txt|md)"
                                        + "|LICENSE|NOTICE|.*module-info\\.class"))
                .isEmpty();
        try (JarFile file = new JarFile(jar.toFile())) {
            Set<String> seen = new HashSet<>();
            List<String> twice =
                    file.stream()
                            .map(JarEntry::getName)
                            .filter(name -> !name.endsWith("/") && !seen.add(name))
                            .toList();
            assertThat(twice).isEmpty();
        }
    }
}
