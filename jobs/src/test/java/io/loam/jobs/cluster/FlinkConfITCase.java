package io.loam.jobs.cluster;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The shipped configuration against the jars of the cluster. */
class FlinkConfITCase {
    private static final Path ROOT = Path.of(System.getProperty("loam.root"));
    private static final Path CONF = ROOT.resolve("flink-conf");

    private final Configuration config = GlobalConfiguration.loadConfiguration(CONF.toString());

    @Test
    void everyOptionIsOneOfFlink() throws Exception {
        FlinkOptions options = FlinkOptions.of(ROOT.resolve("flink-lib/target/lib"));
        assertThat(options.size()).isGreaterThan(500);
        assertThat(options.unreadable())
                .noneMatch(type -> type.startsWith("org.apache.flink.configuration."));
        assertThat(config.keySet()).isNotEmpty().allMatch(options::knows);
        assertThat(options.knows("execution.checkpointing.intervall")).isFalse();
        assertThat(options.problems(config)).isEmpty();
    }

    @Test
    void everyClassItNamesIsInLib() throws Exception {
        Class<?> reporter =
                FlinkOptions.loader(ROOT.resolve("flink-lib/target/lib"))
                        .loadClass(
                                config.getString("metrics.reporter.prometheus.factory.class", ""));
        assertThat(reporter.getInterfaces()).isNotEmpty();
    }

    /** The comments of the file have these sums. */
    @Test
    void memoryIsCompleteAndAddsUp() {
        MemorySize taskManager =
                TaskExecutorProcessUtils.processSpecFromConfig(config).getTotalProcessMemorySize();
        MemorySize jobManager =
                JobManagerProcessUtils.processSpecFromConfig(config).getTotalProcessMemorySize();
        assertThat(taskManager).isEqualTo(MemorySize.ofMebiBytes(3712));
        assertThat(jobManager).isEqualTo(MemorySize.ofMebiBytes(1344));
        for (String part :
                List.of(
                        "task.heap.size",
                        "task.off-heap.size",
                        "framework.heap.size",
                        "framework.off-heap.size",
                        "managed.size",
                        "network.min",
                        "network.max",
                        "jvm-metaspace.size",
                        "jvm-overhead.min",
                        "jvm-overhead.max")) {
            assertThat(config.keySet()).contains("taskmanager.memory." + part);
        }
        assertThat(config.keySet()).contains("taskmanager.cpu.cores");
    }

    @Test
    void checkpointsAreWhatTheSinkInsistsOn() {
        assertThat(config.get(CheckpointingOptions.ENABLE_UNALIGNED)).isFalse();
        assertThat(config.get(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)).isTrue();
        assertThat(config.get(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE).name())
                .isEqualTo("EXACTLY_ONCE");
    }

    /** The build's own tests run with these flags, so that they are known to be enough. */
    @Test
    void jvmFlagsAreThoseOfTheTests() throws Exception {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        int begin = pom.indexOf("<jvm.module.flags>") + "<jvm.module.flags>".length();
        List<String> tested =
                List.of(
                        pom.substring(begin, pom.indexOf("</jvm.module.flags>"))
                                .trim()
                                .split("\\s+"));
        List<String> configured = List.of(config.get(CoreOptions.FLINK_JVM_OPTIONS).split("\\s+"));
        assertThat(configured.stream().filter(flag -> flag.startsWith("--add-")).toList())
                .isEqualTo(tested);
    }
}
