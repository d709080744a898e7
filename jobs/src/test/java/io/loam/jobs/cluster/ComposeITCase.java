package io.loam.jobs.cluster;

import io.loam.jobs.Secrets;
import io.loam.jobs.cluster.Compose.Service;
import io.loam.s3.S3Options;

import kafka.server.KafkaConfig;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * docker-compose.yml against the files, classes and options it names. No container engine runs
 * here; {@link ComposeCommandsITCase} runs its commands without one.
 */
class ComposeITCase {
    static final Path ROOT = Path.of(System.getProperty("loam.root"));
    private static final Set<String> SECRETS =
            Set.of("LOAM_METASTORE_PASSWORD", "LOAM_S3_SECRET_KEY");
    private static final Path LIB = ROOT.resolve("flink-lib/target/lib");

    private final Configuration config =
            GlobalConfiguration.loadConfiguration(ROOT.resolve("flink-conf").toString());
    private Compose compose;

    @BeforeEach
    void read() throws IOException {
        compose = Compose.read(ROOT.resolve("docker-compose.yml"));
    }

    @Test
    void servicesAreTheWholeLayout() {
        assertThat(compose.services())
                .containsOnlyKeys(
                        "jobmanager",
                        "taskmanager-1",
                        "taskmanager-2",
                        "sql-gateway",
                        "kafka",
                        "postgres",
                        "s3");
        assertThat(compose.flink()).hasSize(4);
        assertThat(compose.services().values())
                .allSatisfy(
                        service ->
                                assertThat(service.rest())
                                        .containsEntry("network_mode", "host")
                                        .containsEntry("restart", "unless-stopped"));
    }

    @Test
    void imagesArePinnedAndThoseTestedHereToTheSameVersion() throws IOException {
        assertThat(compose.services().values())
                .allSatisfy(
                        service -> assertThat(service.image()).matches("[a-z0-9/-]+:[0-9]+\\..+"));
        assertThat(compose.service("kafka").image()).endsWith(":" + pinned("kafka"));
        assertThat(compose.service("s3").image()).endsWith(":" + pinned("s3proxy"));
        assertThat(compose.flink())
                .allSatisfy(
                        service -> assertThat(service.image()).startsWith("eclipse-temurin:17."));
    }

    private static String pinned(String name) throws IOException {
        Matcher version =
                Pattern.compile("<" + name + ".version>(.+)</")
                        .matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    @Test
    void everyMountIsThere() throws IOException {
        Set<String> named = new HashSet<>();
        for (Service service : compose.services().values()) {
            for (String mount : service.mounts()) {
                String source = mount.split(":")[0];
                if (source.startsWith("./")) {
                    assertThat(ROOT.resolve(source)).isNotEmptyDirectory();
                } else {
                    named.add(source);
                }
            }
        }
        assertThat(compose.volumes()).containsExactlyInAnyOrderElementsOf(named);
    }

    @Test
    void commandsNameClassesAndFilesThatAreThere() throws Exception {
        try (URLClassLoader lib = FlinkOptions.loader(LIB)) {
            for (Service service : compose.flink()) {
                assertThat(lib.loadClass(service.mainClass()).getMethod("main", String[].class))
                        .isNotNull();
            }
        }
        for (Service service : compose.flink()) {
            String classPath = service.command().get(service.command().indexOf("-cp") + 1);
            assertThat(hostPath(service, classPath.replace("/*", ""))).isEqualTo(LIB);
            assertThat(hostPath(service, value(service.jvmFlags(), "-Dlog4j2.configurationFile=")))
                    .isRegularFile();
            assertThat(hostPath(service, service.environment().get("FLINK_CONF_DIR")))
                    .isEqualTo(ROOT.resolve("flink-conf"));
            assertThat(hostPath(service, service.environment().get("FLINK_LIB_DIR")))
                    .isEqualTo(LIB);
        }
    }

    @Test
    void optionsOfCommandsAreThoseOfFlink() throws Exception {
        FlinkOptions options = FlinkOptions.of(LIB);
        for (Service service : compose.flink()) {
            List<String> arguments = new ArrayList<>(service.arguments());
            int configDir = arguments.indexOf("--configDir");
            if (configDir >= 0) {
                assertThat(arguments.get(configDir + 1))
                        .isEqualTo(service.environment().get("FLINK_CONF_DIR"));
                arguments.subList(configDir, configDir + 2).clear();
            }
            assertThat(arguments)
                    .allMatch(
                            argument ->
                                    argument.startsWith("-D")
                                            && options.knows(
                                                    argument.substring(2, argument.indexOf('='))));
        }
    }

    @Test
    void processesAreWhatBinLoamStarts() {
        Map<String, Role> roles =
                Map.of(
                        "jobmanager",
                        Role.JOBMANAGER,
                        "taskmanager-1",
                        Role.TASKMANAGER,
                        "taskmanager-2",
                        Role.TASKMANAGER,
                        "sql-gateway",
                        Role.GATEWAY);
        roles.forEach(
                (name, role) -> {
                    Service service = compose.service(name);
                    assertThat(service.mainClass()).isEqualTo(role.mainClass());
                    assertThat(service.jvmFlags())
                            .filteredOn(flag -> flag.startsWith("-X"))
                            .isEqualTo(role.memoryFlags(config));
                    assertThat(service.arguments()).containsAll(role.options());
                    assertThat(service.environment().get("JDK_JAVA_OPTIONS"))
                            .isEqualTo(config.get(CoreOptions.FLINK_JVM_OPTIONS));
                });
    }

    @Test
    void checkpointsOutliveTheirContainers() {
        for (Service service : compose.flink()) {
            for (String url :
                    List.of(
                            config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY),
                            config.get(CheckpointingOptions.SAVEPOINT_DIRECTORY))) {
                assertThat(service.outside(URI.create(url).getPath())).startsWith("flink-data/");
            }
        }
    }

    @Test
    void everyVariableIsRead() throws Exception {
        // The JVM reads the first, and Lance the second.
        Set<String> flink = new HashSet<>(Set.of("JDK_JAVA_OPTIONS", "LANCE_CPU_THREADS"));
        for (Field field : ConfigConstants.class.getDeclaredFields()) {
            if (field.getName().startsWith("ENV_")) {
                flink.add((String) field.get(null));
            }
        }
        for (Service service : compose.flink()) {
            Set<String> given = new HashSet<>(service.environment().keySet());
            if (service.name().equals("jobmanager")) {
                given.removeAll(SECRETS);
            }
            assertThat(flink).containsAll(given);
        }
        Set<String> kafka = new HashSet<>();
        for (String name : KafkaConfig.configDef().names()) {
            kafka.add("KAFKA_" + name.replace('.', '_').toUpperCase(Locale.ROOT));
        }
        assertThat(kafka).containsAll(compose.service("kafka").environment().keySet());
        assertThat(compose.service("postgres").environment())
                .containsOnlyKeys("POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB");
        assertThat(compose.service("s3").environment())
                .containsOnlyKeys(
                        "S3PROXY_ENDPOINT",
                        "S3PROXY_AUTHORIZATION",
                        "S3PROXY_IDENTITY",
                        "S3PROXY_CREDENTIAL",
                        "JCLOUDS_PROVIDER",
                        "JCLOUDS_FILESYSTEM_BASEDIR");
    }

    @Test
    void dataOfServicesIsInTheirVolumes() {
        assertThat(outside("kafka", "KAFKA_LOG_DIRS")).isEqualTo("kafka-data");
        assertThat(outside("s3", "JCLOUDS_FILESYSTEM_BASEDIR")).isEqualTo("s3-data");
        assertThat(compose.service("postgres").outside("/var/lib/postgresql/data"))
                .isEqualTo("postgres-data");
    }

    private String outside(String service, String variable) {
        Service found = compose.service(service);
        return found.outside(found.environment().get(variable));
    }

    /** What bin/loam does not send. */
    @Test
    void secretsOfJobsAreThoseOfTheServices() {
        assertThat(SECRETS).allMatch(name -> Secrets.isSecret(parameter(name)));
        assertThat(compose.service("jobmanager").environment())
                .containsEntry(
                        "LOAM_METASTORE_PASSWORD",
                        compose.service("postgres").environment().get("POSTGRES_PASSWORD"))
                .containsEntry(
                        "LOAM_S3_SECRET_KEY",
                        compose.service("s3").environment().get("S3PROXY_CREDENTIAL"));
    }

    private static String parameter(String variable) {
        return variable.substring("LOAM_".length())
                .toLowerCase(Locale.ROOT)
                .replace('_', '-')
                .replaceFirst("^s3-", "s3.");
    }

    /** The addresses and passwords of bin/loam are those of the services. */
    @Test
    void environmentFileFitsTheServices() throws IOException {
        Map<String, String> file = new TreeMap<>();
        for (String line : Files.readAllLines(ROOT.resolve("docker-compose.env"))) {
            if (!line.startsWith("#")) {
                int equals = line.indexOf('=');
                file.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        // As the command line makes variables of options.
        for (String variable : file.keySet()) {
            if (variable.startsWith("LOAM_S3_")) {
                assertThat(S3Options.all())
                        .anyMatch(
                                option ->
                                        variable.equals(
                                                "LOAM_"
                                                        + option.toUpperCase(Locale.ROOT)
                                                                .replaceAll("[.-]", "_")));
            }
        }
        Map<String, String> s3 = compose.service("s3").environment();
        Map<String, String> postgres = compose.service("postgres").environment();
        Map<String, String> kafka = compose.service("kafka").environment();
        int port = Integer.parseInt(value(compose.service("postgres").command(), "port="));
        String bucket = URI.create(file.get("LOAM_WAREHOUSE")).getHost();
        assertThat(file)
                .containsExactlyInAnyOrderEntriesOf(
                        new TreeMap<>(
                                Map.of(
                                        "LOAM_WAREHOUSE",
                                        "s3://loam/warehouse",
                                        "LOAM_S3_ENDPOINT",
                                        s3.get("S3PROXY_ENDPOINT"),
                                        "LOAM_S3_REGION",
                                        "us-east-1",
                                        "LOAM_S3_PATH_STYLE_ACCESS",
                                        "true",
                                        "LOAM_S3_ACCESS_KEY",
                                        s3.get("S3PROXY_IDENTITY"),
                                        "LOAM_S3_SECRET_KEY",
                                        s3.get("S3PROXY_CREDENTIAL"),
                                        "LOAM_METASTORE",
                                        "jdbc:postgresql://127.0.0.1:"
                                                + port
                                                + "/"
                                                + postgres.get("POSTGRES_DB"),
                                        "LOAM_METASTORE_USER",
                                        postgres.get("POSTGRES_USER"),
                                        "LOAM_METASTORE_PASSWORD",
                                        postgres.get("POSTGRES_PASSWORD"),
                                        "LOAM_BROKERS",
                                        URI.create(kafka.get("KAFKA_ADVERTISED_LISTENERS"))
                                                .getAuthority())));
        assertThat(compose.service("s3").rest().get("entrypoint").toString())
                .contains("mkdir -p " + s3.get("JCLOUDS_FILESYSTEM_BASEDIR") + "/" + bucket + " ");
    }

    @Test
    void portsDoNotClash() {
        List<Integer> ports = new ArrayList<>();
        ports.add(config.get(JobManagerOptions.PORT));
        ports.add(config.get(RestOptions.PORT));
        ports.add(config.get(ClusterConfig.GATEWAY_PORT));
        Map<String, String> kafka = compose.service("kafka").environment();
        for (String listener : kafka.get("KAFKA_LISTENERS").split(",")) {
            ports.add(URI.create(listener).getPort());
        }
        ports.add(Integer.parseInt(value(compose.service("postgres").command(), "port=")));
        ports.add(
                URI.create(compose.service("s3").environment().get("S3PROXY_ENDPOINT")).getPort());
        assertThat(ports).hasSize(7).doesNotHaveDuplicates().allMatch(port -> port > 0);
        String[] metrics = config.getString("metrics.reporter.prometheus.port", "").split("-");
        assertThat(ports)
                .noneMatch(
                        port ->
                                port >= Integer.parseInt(metrics[0])
                                        && port <= Integer.parseInt(metrics[1]));
    }

    private static Path hostPath(Service service, String inside) {
        return ROOT.resolve(service.outside(inside)).normalize();
    }

    private static String value(List<String> words, String prefix) {
        return words.stream()
                .filter(word -> word.startsWith(prefix))
                .map(word -> word.substring(prefix.length()))
                .findFirst()
                .orElseThrow();
    }
}
