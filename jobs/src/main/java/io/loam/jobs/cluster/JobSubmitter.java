package io.loam.jobs.cluster;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Uploads a jar to a session cluster and runs it there. */
final class JobSubmitter {
    private final Rest rest;

    JobSubmitter(Rest rest) {
        this.rest = rest;
    }

    /** Returns the job's id once the main method has built the job and Flink has taken it. */
    String submit(Submission job) throws IOException {
        String jarId = upload(job.jar());
        try {
            return new JsonAnswer(rest.post("/jars/" + jarId + "/run", request(job))).text("jobid");
        } finally {
            // The job has its own copy; without this every submission would leave one.
            rest.delete("/jars/" + jarId);
        }
    }

    private String upload(Path jar) throws IOException {
        String boundary = UUID.randomUUID().toString();
        String head =
                "--"
                        + boundary
                        + "\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\""
                        + jar.getFileName()
                        + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n";
        BodyPublisher body =
                BodyPublishers.concat(
                        BodyPublishers.ofString(head),
                        BodyPublishers.ofFile(jar),
                        BodyPublishers.ofString("\r\n--" + boundary + "--\r\n"));
        JsonObject answer =
                rest.post("/jars/upload", "multipart/form-data; boundary=" + boundary, body);
        String file = new JsonAnswer(answer).text("filename");
        return file.substring(file.lastIndexOf('/') + 1);
    }

    private static JsonObject request(Submission job) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("entryClass", new JsonString(job.mainClass()));
        members.put("programArgsList", strings(job.programArguments()));
        members.put("parallelism", JsonInteger.of(job.parallelism()));
        if (job.restoreFrom() != null) {
            members.put("savepointPath", new JsonString(job.restoreFrom()));
        }
        if (!job.flink().isEmpty()) {
            Map<String, JsonValue> options = new LinkedHashMap<>();
            job.flink().forEach((key, value) -> options.put(key, new JsonString(value)));
            members.put("flinkConfiguration", new JsonObject(options));
        }
        return new JsonObject(members);
    }

    private static JsonArray strings(List<String> texts) {
        return new JsonArray(texts.stream().map(text -> (JsonValue) new JsonString(text)).toList());
    }
}
