package io.loam.jobs.cli;

import io.loam.jobs.cluster.ClusterStatus;
import io.loam.jobs.cluster.ClusterStatus.ProcessStatus;
import io.loam.jobs.cluster.FlinkCluster.Job;
import io.loam.jobs.cluster.FlinkCluster.Overview;

import java.io.PrintWriter;
import java.util.List;

/** Prints how a cluster is. */
record ClusterText(ClusterStatus status) {

    void print(PrintWriter out, boolean json) {
        if (json) {
            out.println(json());
        } else {
            people(out);
        }
        out.flush();
    }

    private void people(PrintWriter out) {
        Table processes = new Table("process", "pid", "state", "log");
        for (ProcessStatus process : status.processes()) {
            processes.row(process.name(), pid(process), state(process), process.log());
        }
        processes.print(out);
        Overview overview = status.overview();
        if (overview == null) {
            out.println("Flink         " + status.restUrl() + " (does not answer)");
        } else {
            out.printf(
                    "Flink         %s, %d of %d task managers, %d of %d slots free%n",
                    status.restUrl(),
                    overview.taskManagers(),
                    status.expectedTaskManagers(),
                    overview.freeSlots(),
                    overview.slots());
        }
        out.printf(
                "SQL gateway   %s%s%n",
                status.gatewayUrl(), status.gatewayAnswers() ? "" : " (does not answer)");
        if (!status.jobs().isEmpty()) {
            Table jobs = new Table("job", "state", "name");
            for (Job job : status.jobs()) {
                jobs.row(job.id(), job.state(), job.name());
            }
            jobs.print(out);
        }
    }

    private static String pid(ProcessStatus process) {
        return process.pid() == 0 ? "-" : Long.toString(process.pid());
    }

    private static String state(ProcessStatus process) {
        if (process.alive()) {
            return "runs";
        }
        return process.pid() == 0 ? "not started" : "ended unasked";
    }

    private String json() {
        Overview overview = status.overview();
        List<JsonOut> processes =
                status.processes().stream()
                        .map(
                                process ->
                                        new JsonOut()
                                                .put("name", process.name())
                                                .put("pid", process.pid())
                                                .put("alive", process.alive())
                                                .put("log", process.log()))
                        .toList();
        List<JsonOut> jobs =
                status.jobs().stream()
                        .map(
                                job ->
                                        new JsonOut()
                                                .put("id", job.id())
                                                .put("name", job.name())
                                                .put("state", job.state()))
                        .toList();
        return new JsonOut()
                .put("complete", status.complete())
                .put("processes", processes)
                .put("rest_url", status.restUrl())
                .put("gateway_url", status.gatewayUrl())
                .put("gateway_answers", status.gatewayAnswers())
                .put("task_managers", overview == null ? null : overview.taskManagers())
                .put("slots", overview == null ? null : overview.slots())
                .put("free_slots", overview == null ? null : overview.freeSlots())
                .put("jobs", jobs)
                .toString();
    }
}
