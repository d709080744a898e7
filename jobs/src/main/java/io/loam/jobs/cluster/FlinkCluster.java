package io.loam.jobs.cluster;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A Flink session cluster as its REST interface shows it. */
public final class FlinkCluster {
    private static final Set<String> STARTING = Set.of("INITIALIZING", "CREATED");
    private static final long POLL_MS = 200;

    private final Rest rest;

    /**
     * @param url such as {@code http://host:8081}
     */
    public FlinkCluster(String url) {
        this.rest = new Rest(url);
    }

    /** What {@code /overview} says. */
    public record Overview(int taskManagers, int slots, int freeSlots) {}

    /** A job; state as Flink names it. */
    public record Job(String id, String name, String state) {
        public boolean ended() {
            return List.of("FINISHED", "FAILED", "CANCELED").contains(state);
        }
    }

    public String url() {
        return rest.url();
    }

    /**
     * @throws ClusterException if it answers, but not as Flink does
     * @throws IOException if it does not answer
     */
    public Overview overview() throws IOException {
        JsonAnswer answer = new JsonAnswer(rest.get("/overview"));
        return new Overview(
                (int) answer.number("taskmanagers"),
                (int) answer.number("slots-total"),
                (int) answer.number("slots-available"));
    }

    /**
     * Resource ids of registered task managers; one that died stays for a heartbeat's timeout. One
     * that has registered and not yet told of its slots is of no use to a job, and left out.
     */
    public List<String> taskManagers() throws IOException {
        List<String> ids = new ArrayList<>();
        for (JsonAnswer each : new JsonAnswer(rest.get("/taskmanagers")).list("taskmanagers")) {
            if (each.number("slotsNumber") > 0) {
                ids.add(each.text("id"));
            }
        }
        return ids;
    }

    /** All jobs since the job manager started, ended ones included. */
    public List<Job> jobs() throws IOException {
        List<Job> jobs = new ArrayList<>();
        for (JsonAnswer job : new JsonAnswer(rest.get("/jobs/overview")).list("jobs")) {
            jobs.add(new Job(job.text("jid"), job.text("name"), job.text("state")));
        }
        return jobs;
    }

    /** Where the newest checkpoint of a job lies that it could go on from. */
    public Optional<String> newestCheckpoint(String jobId) throws IOException {
        return new JsonAnswer(rest.get("/jobs/" + jobId + "/checkpoints"))
                .optionalObject("latest")
                .flatMap(latest -> latest.optionalObject("completed"))
                .flatMap(completed -> completed.optionalText("external_path"));
    }

    /**
     * Runs a job and returns its id once it runs, or has ended already.
     *
     * @throws ClusterException if the cluster refuses it or it fails while it starts, with the
     *     reason
     */
    public String submit(Submission job) throws IOException, InterruptedException {
        String id = new JobSubmitter(rest).submit(job);
        while (true) {
            String state = state(id);
            if (state.equals("FAILED")) {
                throw new ClusterException("job " + id + " failed: " + failure(id));
            }
            if (!STARTING.contains(state)) {
                return id;
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** The state of a job as Flink names it. */
    public String state(String jobId) throws IOException {
        return new JsonAnswer(rest.get("/jobs/" + jobId)).text("state");
    }

    /** Why a job failed last; empty if it did not. */
    public String failure(String jobId) throws IOException {
        JsonAnswer exceptions = new JsonAnswer(rest.get("/jobs/" + jobId + "/exceptions"));
        return exceptions.optionalText("root-exception").map(FlinkErrors::reason).orElse("");
    }

    /**
     * Stops a job with a savepoint, which everything it read so far is in, and returns the
     * savepoint's path.
     *
     * @param directory where to; null leaves it to the cluster's configuration
     */
    public String stopWithSavepoint(String jobId, @Nullable String directory)
            throws IOException, InterruptedException {
        Map<String, JsonValue> request = new LinkedHashMap<>();
        request.put("drain", new JsonBoolean(false));
        if (directory != null) {
            request.put("targetDirectory", new JsonString(directory));
        }
        JsonObject answer = rest.post("/jobs/" + jobId + "/stop", new JsonObject(request));
        String trigger = new JsonAnswer(answer).text("request-id");
        while (true) {
            JsonAnswer savepoint =
                    new JsonAnswer(rest.get("/jobs/" + jobId + "/savepoints/" + trigger));
            Optional<JsonAnswer> operation = savepoint.optionalObject("operation");
            if (operation.isPresent()) {
                return location(jobId, operation.get());
            }
            Thread.sleep(POLL_MS);
        }
    }

    private static String location(String jobId, JsonAnswer operation) throws ClusterException {
        Optional<JsonAnswer> failure = operation.optionalObject("failure-cause");
        if (failure.isPresent()) {
            String trace = failure.get().text("stack-trace");
            throw new ClusterException(
                    "no savepoint of job " + jobId + ", it goes on: " + FlinkErrors.reason(trace));
        }
        return operation.text("location");
    }
}
