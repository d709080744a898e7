package io.loam.s3.testing;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Ceph's object gateway with a monitor and one storage daemon that keeps its data in memory, all on
 * the loopback address and children of this process. Needs Debian's packages {@code ceph-mon
 * ceph-osd radosgw}.
 */
public final class CephServer implements S3Server {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String GATEWAY = "client.rgw.a";
    private static final String STORE = "1.0";

    private final Path folder;
    private final Path config;
    private final int monitorPort = freePort();
    private final int port = freePort();
    private final List<Process> daemons = new ArrayList<>();

    /** Whether the programs are there. */
    public static boolean isInstalled() {
        return Stream.of("ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool")
                .allMatch(name -> Files.isExecutable(Path.of("/usr/bin", name)));
    }

    /** Starts a gateway that keeps its log and what little is on disk below a short path. */
    public CephServer(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        this.config = folder.resolve("ceph.conf");
        Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
        try {
            start();
        } catch (IOException | RuntimeException e) {
            kill();
            throw e;
        }
    }

    private void start() throws IOException {
        String cluster = UUID.randomUUID().toString();
        writeConfig(cluster);
        Path map = folder.resolve("map");
        String address = "[v1:127.0.0.1:" + monitorPort + "]";
        run("monmaptool", "--create", "--fsid", cluster, "--addv", "a", address, map.toString());
        run("ceph-mon", "--mkfs", "-i", "a", "--monmap", map.toString());
        daemon("ceph-mon", "-f", "-i", "a");
        await("the monitor", () -> ceph("mon", "stat") != null);
        String disk = UUID.randomUUID().toString();
        String number = ceph("osd", "new", disk).strip();
        run("ceph-osd", "-i", number, "--mkfs", "--osd-uuid", disk);
        ceph("osd", "crush", "add", "osd." + number, STORE, "host=here", "root=default");
        daemon("ceph-osd", "-f", "-i", number);
        daemon("radosgw", "-f", "-n", GATEWAY);
        await("the gateway", this::answers);
        run(
                "radosgw-admin",
                "-n",
                GATEWAY,
                "user",
                "create",
                "--uid=tests",
                "--display-name=tests",
                "--access-key=" + ACCESS_KEY,
                "--secret-key=" + SECRET_KEY);
    }

    private void writeConfig(String cluster) throws IOException {
        Map<String, String> settings = new TreeMap<>();
        settings.put("fsid", cluster);
        settings.put("mon host", "v1:127.0.0.1:" + monitorPort);
        settings.put("mon initial members", "a");
        settings.put("public network", "127.0.0.0/8");
        settings.put("ms bind msgr2", "false");
        for (String who : List.of("cluster", "service", "client")) {
            settings.put("auth " + who + " required", "none");
        }
        // One daemon holds the only copy, and a nearly full disk is no concern of it.
        settings.put("osd pool default size", "1");
        settings.put("osd pool default min size", "1");
        settings.put("osd pool default pg num", "8");
        settings.put("osd pool default pgp num", "8");
        settings.put("osd pool default pg autoscale mode", "off");
        settings.put("osd crush chooseleaf type", "0");
        settings.put("mon allow pool size one", "true");
        settings.put("mon max pg per osd", "1000");
        settings.put("mon data avail crit", "1");
        settings.put("mon data avail warn", "2");
        settings.put("osd objectstore", "memstore");
        settings.put("memstore device bytes", Long.toString(3L << 30));
        settings.put("osd memory target", "900000000");
        settings.put("osd check max object name len on startup", "false");
        settings.put("rgw frontends", "beast endpoint=127.0.0.1:" + port);
        settings.put("rgw thread pool size", "64");
        for (String kept : List.of("mon data", "osd data", "rgw data", "run dir")) {
            Path place = Files.createDirectories(folder.resolve(kept.replace(" ", "-")));
            settings.put(kept, place.toString());
        }
        settings.put("log file", folder + "/$name.log");
        settings.put("admin socket", folder + "/$name.asok");
        settings.put("pid file", folder + "/$name.pid");
        StringBuilder text = new StringBuilder("[global]\n");
        settings.forEach((name, value) -> text.append(name + " = " + value + "\n"));
        Files.writeString(config, text);
    }

    private interface Check {
        boolean passes() throws IOException;
    }

    private static void await(String what, Check check) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        IOException last = null;
        while (System.nanoTime() < end) {
            try {
                if (check.passes()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
            }
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        throw new IOException(what + " did not come up in " + PATIENCE, last);
    }

    private boolean answers() throws IOException {
        HttpURLConnection asked =
                (HttpURLConnection) URI.create(endpoint()).toURL().openConnection();
        asked.setConnectTimeout(1_000);
        asked.setReadTimeout(5_000);
        return asked.getResponseCode() > 0;
    }

    private String ceph(String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("ceph", "--connect-timeout", "5"));
        words.addAll(List.of(arguments));
        return run(words.toArray(String[]::new));
    }

    private ProcessBuilder program(String... words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().put("CEPH_CONF", config.toString());
        return builder.redirectError(folder.resolve("programs.log").toFile());
    }

    private String run(String... words) throws IOException {
        Process process = program(words).start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(
                        String.join(" ", words).replace(SECRET_KEY, "...")
                                + " failed; see "
                                + folder.resolve("programs.log"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return printed;
    }

    private void daemon(String... words) throws IOException {
        ProcessBuilder builder = program(words);
        builder.redirectOutput(folder.resolve(words[0] + ".out").toFile());
        daemons.add(builder.start());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void kill() {
        for (int i = daemons.size() - 1; i >= 0; i--) {
            daemons.get(i).destroyForcibly();
        }
    }

    @Override
    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        kill();
    }
}
