package io.loam.jobs.cluster;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** JSON over HTTP, as Flink's REST interfaces speak it. */
final class Rest {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** Running a jar answers after its main method. */
    private static final Duration ANSWER = Duration.ofMinutes(3);

    private final String url;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();

    /**
     * @param url such as {@code http://host:8081}, with or without a slash at its end
     */
    Rest(String url) {
        this.url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        String scheme;
        try {
            scheme = URI.create(this.url).getScheme();
        } catch (IllegalArgumentException e) {
            throw notAnAddress(url);
        }
        if (!"http".equals(scheme) && !"https".equals(scheme)) {
            throw notAnAddress(url);
        }
    }

    private static IllegalArgumentException notAnAddress(String url) {
        return new IllegalArgumentException(
                "\"" + url + "\" is no address of a cluster; write http://<host>:<port>");
    }

    String url() {
        return url;
    }

    JsonObject get(String path) throws IOException {
        return send(request(path).GET());
    }

    JsonObject post(String path, JsonObject body) throws IOException {
        return send(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofByteArray(Json.print(body))));
    }

    JsonObject post(String path, String contentType, BodyPublisher body) throws IOException {
        return send(request(path).header("Content-Type", contentType).POST(body));
    }

    JsonObject delete(String path) throws IOException {
        return send(request(path).DELETE());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(ANSWER);
    }

    /**
     * @throws ClusterException if the other side answers with an error or not in JSON
     * @throws IOException if nobody answers
     */
    private JsonObject send(HttpRequest.Builder builder) throws IOException {
        HttpRequest request = builder.build();
        HttpResponse<byte[]> response;
        try {
            response = client.send(request, BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + request.uri() + " was asked", e);
        } catch (IOException e) {
            throw new IOException("nobody answers at " + url + " (" + reason(e) + ")", e);
        }
        boolean good = response.statusCode() / 100 == 2;
        try {
            JsonObject body = Json.parseObject(response.body());
            if (good) {
                return body;
            }
            throw new ClusterException(url + " refuses: " + FlinkErrors.reason(body));
        } catch (JsonSyntaxException e) {
            throw new ClusterException(
                    request.uri()
                            + " answers "
                            + response.statusCode()
                            + ", which is no answer of Flink; check the address",
                    e);
        }
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
