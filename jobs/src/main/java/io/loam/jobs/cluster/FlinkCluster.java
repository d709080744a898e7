package io.loam.jobs.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Flink session cluster as its REST interface shows it. */
public final class FlinkCluster {
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

    /** Resource ids of registered task managers; one that died stays for a heartbeat's timeout. */
    public List<String> taskManagers() throws IOException {
        List<String> ids = new ArrayList<>();
        for (JsonAnswer each : new JsonAnswer(rest.get("/taskmanagers")).list("taskmanagers")) {
            ids.add(each.text("id"));
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
}
