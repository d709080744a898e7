package io.loam.jobs.broker;

import io.loam.jobs.LockFile;

import javax.annotation.Nullable;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * A broker of a folder: found if another process of this machine already runs it, else started as a
 * child that dies with this process. Whoever holds the folder's lock file starts it; the address
 * stands in {@code broker.properties} beside it.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final long START_SECONDS = 300;

    private final String bootstrapServers;
    @Nullable private final Process child;
    @Nullable private final FileLock lock;

    private BrokerProcess(
            String bootstrapServers, @Nullable Process child, @Nullable FileLock lock) {
        this.bootstrapServers = bootstrapServers;
        this.child = child;
        this.lock = lock;
    }

    /** Finds or starts the broker of {@code folder}; returns once it accepts connections. */
    public static BrokerProcess open(Path folder) throws IOException, InterruptedException {
        return open(folder, BrokerProcess::freePort);
    }

    /** Where two ports come from, which may be taken by the time the broker listens there. */
    interface Ports {
        int next() throws IOException;
    }

    static BrokerProcess open(Path folder, Ports ports) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            FileLock lock = LockFile.tryLock(folder.resolve("broker.lock"));
            if (lock != null) {
                return start(folder, lock, ports, deadline);
            }
            String address = runningAddress(folder);
            if (address != null) {
                return new BrokerProcess(address, null, null);
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "another process holds "
                                + folder.resolve("broker.lock")
                                + " but its broker does not answer; end that process and try again");
            }
            Thread.sleep(200);
        }
    }

    /** The address clients connect to. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    @Nullable
    private static String runningAddress(Path folder) throws IOException {
        Path file = folder.resolve("broker.properties");
        if (!Files.exists(file)) {
            return null;
        }
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        String port = properties.getProperty("port");
        return port != null && accepts(Integer.parseInt(port)) ? "127.0.0.1:" + port : null;
    }

    private static BrokerProcess start(Path folder, FileLock lock, Ports ports, long deadline)
            throws IOException, InterruptedException {
        Path log = folder.resolve("broker.out");
        while (true) {
            int port = ports.next();
            Process child = launch(folder, log, port, ports.next());
            while (child.isAlive() && !accepts(port) && System.nanoTime() < deadline) {
                Thread.sleep(100);
            }
            if (child.isAlive() && accepts(port)) {
                return started(folder, lock, port, child);
            }
            child.destroyForcibly();
            if (System.nanoTime() > deadline || !lostItsPort(log)) {
                lock.channel().close();
                throw new IOException("the embedded broker did not start; its output is in " + log);
            }
        }
    }

    /** Somebody else took it between the moment it was found free and now. */
    private static boolean lostItsPort(Path log) throws IOException {
        return Files.readString(log, StandardCharsets.ISO_8859_1)
                .contains("Address already in use");
    }

    private static Process launch(Path folder, Path log, int port, int controllerPort)
            throws IOException {
        Path temp = Files.createDirectories(folder.resolve("tmp"));
        ProcessBuilder builder =
                new ProcessBuilder(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx512m",
                                "-Djava.io.tmpdir=" + temp,
                                "-Dlog4j2.configurationFile=classpath:log4j2-broker.properties",
                                "-cp",
                                System.getProperty("java.class.path"),
                                BrokerMain.class.getName(),
                                folder.toString(),
                                Integer.toString(port),
                                Integer.toString(controllerPort)));
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.to(new File(log.toString())));
        return builder.start();
    }

    private static BrokerProcess started(Path folder, FileLock lock, int port, Process child)
            throws IOException {
        Properties properties = new Properties();
        properties.setProperty("port", Integer.toString(port));
        properties.setProperty("pid", Long.toString(child.pid()));
        try (OutputStream out = Files.newOutputStream(folder.resolve("broker.properties"))) {
            properties.store(out, "address of the running broker");
        }
        return new BrokerProcess("127.0.0.1:" + port, child, lock);
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Ends the broker if this process started it. */
    @Override
    public void close() throws IOException {
        if (child == null) {
            return;
        }
        child.getOutputStream().close();
        try {
            if (!child.waitFor(20, TimeUnit.SECONDS)) {
                child.destroyForcibly();
            }
        } catch (InterruptedException e) {
            child.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        if (lock != null) {
            lock.channel().close();
        }
    }
}
