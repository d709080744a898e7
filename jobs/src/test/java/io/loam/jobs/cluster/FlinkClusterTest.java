package io.loam.jobs.cluster;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class FlinkClusterTest {
    @Test
    void taskManagerWithoutSlotsIsNotThereYet() throws Exception {
        byte[] answer =
                """
                {"taskmanagers":[
                  {"id":"first","slotsNumber":2,"freeSlots":2},
                  {"id":"second","slotsNumber":0,"freeSlots":0}]}
                """
                        .getBytes(StandardCharsets.UTF_8);
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/taskmanagers",
                exchange -> {
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            assertThat(new FlinkCluster(url).taskManagers()).containsExactly("first");
        } finally {
            server.stop(0);
        }
    }
}
