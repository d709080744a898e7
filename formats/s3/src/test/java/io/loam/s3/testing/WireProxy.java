package io.loam.s3.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands before an S3 server, passes requests on byte by byte (so that signatures hold), notes
 * them, and disturbs some. Whoever asks through it does not know.
 */
public final class WireProxy implements AutoCloseable {
    /** Decides about the request with this method and target. */
    public interface Plan {
        WireFault next(String method, String target);
    }

    private final ServerSocket listening;
    private final URI server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<WireRequest> requests = new CopyOnWriteArrayList<>();
    private volatile Plan plan = (method, target) -> WireFault.NONE;
    private volatile long delayMs;

    public WireProxy(String endpoint) throws IOException {
        server = URI.create(endpoint);
        listening = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public String endpoint() {
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    /** From now on. */
    public void disturb(Plan next) {
        plan = next;
    }

    /** Every request takes this much longer, as over a real network. */
    public void delay(long ms) {
        delayMs = ms;
    }

    /** What passed since it was last forgotten. */
    public List<WireRequest> requests() {
        return new ArrayList<>(requests);
    }

    public void forget() {
        requests.clear();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                open.add(client);
                start(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "wire-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket client) {
        try (client;
                Socket upstream = new Socket(server.getHost(), server.getPort())) {
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            open.add(upstream);
            WireConnection connection = new WireConnection(client, upstream);
            while (connection.readRequest()) {
                long start = System.nanoTime();
                WireFault fault = plan.next(connection.method(), connection.target());
                pause(delayMs);
                boolean goesOn = connection.exchange(fault);
                requests.add(connection.seen(start, System.nanoTime()));
                if (!goesOn) {
                    break;
                }
            }
        } catch (IOException | InterruptedException e) {
            // The client or the server hung up, which both may.
        } finally {
            open.remove(client);
        }
    }

    static void pause(long ms) throws InterruptedException {
        if (ms > 0) {
            Thread.sleep(ms);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
