package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** One statement through the REST interface of a SQL gateway. */
final class SqlGatewayClient {
    private final String url;
    private final HttpClient client = HttpClient.newHttpClient();

    SqlGatewayClient(String url) {
        this.url = url + "/v1/sessions";
    }

    /** The fields of the first row of a query's result, as JSON. */
    String firstRow(String statement) throws IOException, InterruptedException {
        String session = text(post("", JsonObject.EMPTY), "sessionHandle");
        JsonObject body = new JsonObject(Map.of("statement", new JsonString(statement)));
        String operation = text(post("/" + session + "/statements", body), "operationHandle");
        String results = "/" + session + "/operations/" + operation + "/result/";
        long token = 0;
        while (true) {
            JsonObject page = send(HttpRequest.newBuilder(URI.create(url + results + token)).GET());
            String type = text(page, "resultType");
            if (type.equals("PAYLOAD")) {
                token++;
                JsonArray rows =
                        (JsonArray)
                                ((JsonObject) page.members().get("results")).members().get("data");
                if (!rows.values().isEmpty()) {
                    JsonObject row = (JsonObject) rows.values().get(0);
                    return Json.text(row.members().get("fields"));
                }
            } else {
                assertThat(type).as(page.toString()).isEqualTo("NOT_READY");
            }
            Thread.sleep(100);
        }
    }

    private JsonObject post(String path, JsonValue body) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .POST(BodyPublishers.ofByteArray(Json.print(body))));
    }

    private JsonObject send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
        assertThat(response.statusCode()).as(new String(response.body())).isEqualTo(200);
        return Json.parseObject(response.body());
    }

    private static String text(JsonObject object, String name) {
        return ((JsonString) object.members().get(name)).value();
    }
}
