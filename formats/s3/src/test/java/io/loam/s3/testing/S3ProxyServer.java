package io.loam.s3.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * S3Proxy in a process of its own, on files. Its create-only puts are exclusive; its {@code
 * If-Match} is not, which nothing here uses.
 */
public final class S3ProxyServer implements S3Server {
    private static final String JAR = "formats/s3/target/server/s3proxy.jar";
    private static final Pattern STARTED =
            Pattern.compile("Started \\S*ServerConnector@\\S* *\\S*\\{127\\.0\\.0\\.1:(\\d+)}");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Process process;
    private final int port;

    /** Starts a server that keeps its objects and its log below a folder. */
    public S3ProxyServer(Path folder) throws IOException {
        Path objects = Files.createDirectories(folder.resolve("objects"));
        Path log = folder.resolve("s3proxy.log");
        Path properties = folder.resolve("s3proxy.properties");
        Files.write(
                properties,
                List.of(
                        "s3proxy.endpoint=http://127.0.0.1:0",
                        "s3proxy.authorization=aws-v2-or-v4",
                        "s3proxy.identity=" + ACCESS_KEY,
                        "s3proxy.credential=" + SECRET_KEY,
                        "jclouds.provider=filesystem-nio2",
                        "jclouds.identity=" + ACCESS_KEY,
                        "jclouds.credential=" + SECRET_KEY,
                        "jclouds.filesystem.basedir=" + objects));
        Path jar = Path.of(System.getProperty("loam.root"), JAR);
        if (!Files.exists(jar)) {
            throw new IOException("there is no " + jar + "; build the module formats/s3");
        }
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                jar.toString(),
                                "org.gaul.s3proxy.Main",
                                "--properties",
                                properties.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        try {
            port = awaitPort(log);
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private int awaitPort(Path log) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            String said = Files.readString(log, StandardCharsets.UTF_8);
            Matcher started = STARTED.matcher(said);
            if (started.find()) {
                return Integer.parseInt(started.group(1));
            }
            if (!process.isAlive()) {
                throw new IOException("the S3 server ended: " + said);
            }
            pause();
        }
        throw new IOException("the S3 server did not start in " + PATIENCE + "; see " + log);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
