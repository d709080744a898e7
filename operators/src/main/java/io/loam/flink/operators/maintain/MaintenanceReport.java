package io.loam.flink.operators.maintain;

import io.loam.store.maintain.RoundReport;
import io.loam.store.maintain.RoundReport.Status;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What one round did to one collection.
 *
 * @param collection namespace and name
 * @param problem why nothing could be published, empty if nothing went wrong
 */
@PublicEvolving
public record MaintenanceReport(String collection, RoundReport round, String problem)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Whether something failed or was blocked. */
    public boolean isTroubled() {
        return !problem.isEmpty() || round.count(Status.FAILED) + round.count(Status.BLOCKED) > 0;
    }

    /** One line for people. */
    @Override
    public String toString() {
        return collection
                + ": "
                + (round.version() == 0 ? "nothing published" : "version " + round.version())
                + (problem.isEmpty() ? "" : " (" + problem + ")")
                + round.tasks().stream().map(MaintenanceReport::line).collect(Collectors.joining());
    }

    private static String line(RoundReport.TaskReport task) {
        String what =
                task.status() == Status.PUBLISHED
                        ? task.text()
                        : task.task().describe() + ": " + task.text();
        return "; " + task.status().name().toLowerCase(Locale.ROOT) + ": " + what;
    }
}
