package io.loam.bench;

import org.apache.flink.runtime.util.EnvironmentInformation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Where, when and how figures were measured: facts by name, in the order to show them. */
record Session(Map<String, String> facts) {
    static Session start(boolean shortForm, int runs, long seed, String command) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("started", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
        facts.put("command", command);
        facts.put("form", shortForm ? "short: the numbers mean little" : "full");
        facts.put("paired runs", runs + " at most; each row says how many");
        facts.put("seed", Long.toString(seed));
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("CPU", first("/proc/cpuinfo", "model name"));
        facts.put("memory", memory());
        facts.put("load at start", line("/proc/loadavg"));
        // The kernel without what a distributor or a host appends to its version.
        String kernel = System.getProperty("os.version").replaceFirst("^(\\d+\\.\\d+).*", "$1");
        facts.put("system", System.getProperty("os.name") + " " + kernel);
        facts.put(
                "JDK",
                System.getProperty("java.vendor") + " " + System.getProperty("java.version"));
        facts.put("Flink", EnvironmentInformation.getVersion());
        for (String jar :
                List.of(
                        "lance-core",
                        "tantivy4java",
                        "arrow-vector",
                        "paimon-flink",
                        "iceberg-flink-runtime",
                        "lucene-core",
                        "frocksdbjni",
                        "jmh-core")) {
            String version = jarVersion(jar);
            if (!version.isEmpty()) {
                facts.put(jar, version);
            }
        }
        return new Session(facts);
    }

    /** What the name of a jar on the class path says behind the artefact's. */
    private static String jarVersion(String artefact) {
        for (String entry : System.getProperty("java.class.path").split(":")) {
            String file = Path.of(entry).getFileName().toString();
            if (file.startsWith(artefact + "-") && file.endsWith(".jar")) {
                return file.substring(artefact.length() + 1, file.length() - ".jar".length());
            }
        }
        return "";
    }

    private static String memory() {
        String kib = first("/proc/meminfo", "MemTotal").replace("kB", "").strip();
        return kib.isEmpty()
                ? ""
                : String.format(Locale.ROOT, "%.0f GiB", Long.parseLong(kib) / 1048576.0);
    }

    private static String first(String file, String name) {
        for (String line : text(file).split("\n")) {
            if (line.startsWith(name)) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "";
    }

    private static String line(String file) {
        return text(file).split("\n")[0];
    }

    private static String text(String file) {
        try {
            return new String(Files.readAllBytes(Path.of(file)), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return ""; // another system tells it elsewhere
        }
    }
}
