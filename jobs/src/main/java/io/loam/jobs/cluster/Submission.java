package io.loam.jobs.cluster;

import javax.annotation.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A job to run on a cluster.
 *
 * @param jar with the main class and what Flink's lib folder lacks
 * @param mainClass its main method builds the job, on the job manager
 * @param parameters handed to the main method as {@code --key value}
 * @param parallelism given always, because Flink takes 1 here whatever the cluster is configured to
 * @param restoreFrom a savepoint or retained checkpoint as the cluster sees it; null starts without
 *     state
 * @param flink options of Flink for this job
 */
public record Submission(
        Path jar,
        String mainClass,
        Map<String, String> parameters,
        int parallelism,
        @Nullable String restoreFrom,
        Map<String, String> flink) {

    List<String> programArguments() {
        List<String> words = new ArrayList<>();
        parameters.forEach(
                (key, value) -> {
                    words.add("--" + key);
                    words.add(value);
                });
        return words;
    }
}
