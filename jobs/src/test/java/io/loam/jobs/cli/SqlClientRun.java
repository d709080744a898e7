package io.loam.jobs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Flink's SQL client, a process of its own with the cluster's lib as its class path, that sends a
 * script to a gateway.
 *
 * @param lines what it printed, runs of blanks made one
 */
record SqlClientRun(List<String> lines) {

    /**
     * @param folder for the script as it is run, for the output and for temporary files
     * @param conf Flink's configuration
     * @param replacements literal texts of the script and what stands for them here
     */
    static SqlClientRun of(
            Path folder,
            Path conf,
            String gatewayUrl,
            String script,
            Map<String, String> replacements)
            throws IOException, InterruptedException {
        String text = script;
        for (Map.Entry<String, String> replacement : replacements.entrySet()) {
            text = text.replace(replacement.getKey(), replacement.getValue());
        }
        Files.createDirectories(folder);
        Path file = Files.writeString(folder.resolve("script.sql"), text);
        Path out = folder.resolve("client.out");
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("-Xmx256m", "-Djava.io.tmpdir=" + folder));
        Path root = Path.of(System.getProperty("loam.root"));
        line.addAll(List.of("-cp", root.resolve("flink-lib/target/lib") + "/*"));
        line.add("org.apache.flink.table.client.SqlClient");
        line.addAll(List.of("gateway", "--endpoint", gatewayUrl.replaceFirst("^http://", "")));
        line.addAll(List.of("-f", file.toString()));
        line.addAll(List.of("--history", folder.resolve("history").toString()));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.redirectOutput(out.toFile());
        builder.environment().put("FLINK_CONF_DIR", conf.toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(600, SECONDS)).as(Files.readString(out)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String printed = Files.readString(out);
        assertThat(process.exitValue()).as(printed).isZero();
        assertThat(printed).doesNotContain("[ERROR]");
        return new SqlClientRun(
                printed.lines().map(row -> row.replaceAll(" +", " ").strip()).toList());
    }
}
