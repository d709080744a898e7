package io.loam.store.metastore;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a client and a PostgreSQL server and cuts the connection at a chosen COMMIT:
 * before it reaches the server, or after the server has done it but before it has said so.
 */
final class CuttingProxy implements AutoCloseable {
    private static final int BUFFER = 1 << 16;
    private static final String COMMIT = "COMMIT";

    private final ServerSocket listener;
    private volatile int serverPort;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger commits = new AtomicInteger();
    private volatile int cutAt;
    private volatile boolean cutAfter;

    CuttingProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Connections from now on go to another server. */
    void goOnTo(int port) {
        serverPort = port;
    }

    /**
     * Cuts once, at the n-th COMMIT from now on.
     *
     * @param after the server does it first
     */
    void cut(int commit, boolean after) {
        commits.set(0);
        cutAfter = after;
        cutAt = commit;
    }

    /** COMMITs since {@link #cut}. */
    int commits() {
        return commits.get();
    }

    private void accept() {
        try {
            while (true) {
                connect(listener.accept());
            }
        } catch (IOException e) {
            return; // closed
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        } catch (IOException e) {
            client.close(); // the server is down, and so is the connection
            return;
        }
        sockets.add(server);
        Connection connection = new Connection(client, server);
        start(connection::toServer);
        start(connection::toClient);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "cutting-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private final class Connection {
        private final Socket client;
        private final Socket server;
        private volatile boolean swallow;

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void toServer() {
            copy(client, server, true);
        }

        void toClient() {
            copy(server, client, false);
        }

        private void copy(Socket from, Socket to, boolean upwards) {
            byte[] buffer = new byte[BUFFER];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (upwards ? cutsBefore(buffer, n) : swallow) {
                        return;
                    }
                    out.write(buffer, 0, n);
                }
            } catch (IOException e) {
                return; // one side is gone, so the other goes, too
            }
        }

        private boolean cutsBefore(byte[] buffer, int n) {
            String text = new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
            if (!text.contains(COMMIT) || commits.incrementAndGet() != cutAt) {
                return false;
            }
            swallow = cutAfter;
            return !cutAfter;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
