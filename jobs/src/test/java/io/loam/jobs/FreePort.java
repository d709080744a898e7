package io.loam.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports on which nothing listens. */
public final class FreePort {
    /**
     * Below those that systems hand out by themselves, so that none of these is gone by its use.
     */
    private static final int FIRST = 12_000;

    private static final int END = 32_000;

    private FreePort() {}

    /** A port of the loopback address that is free now. */
    public static int find() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (ServerSocket socket =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                continue; // in use
            } catch (IOException e) {
                throw new UncheckedIOException("no port is free", e);
            }
        }
    }
}
