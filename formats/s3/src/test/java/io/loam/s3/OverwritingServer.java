package io.loam.s3;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Takes every put and delete for granted, as servers without conditional writes do. */
final class OverwritingServer implements AutoCloseable {
    private final HttpServer server;

    OverwritingServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(
                            exchange.getRequestMethod().equals("DELETE") ? 204 : 200, -1);
                    exchange.close();
                });
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
