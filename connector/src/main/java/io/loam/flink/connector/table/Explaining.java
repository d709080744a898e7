package io.loam.flink.connector.table;

/**
 * Whether a statement is planned for EXPLAIN only. Flink gives a sink the same calls for a plan
 * that is shown as for one that runs, and a collection cannot wait to be made until the job runs:
 * what its operators and their state are named by is its id. So this thread's calls are looked at.
 * All of Flink's ways to explain go through one method; if a release renames it, explaining makes
 * collections, as any writing statement does.
 */
final class Explaining {
    private static final String ENVIRONMENT =
            "org.apache.flink.table.api.internal.TableEnvironmentImpl";
    private static final String METHOD = "explainInternal";

    private Explaining() {}

    static boolean isGoingOn() {
        return StackWalker.getInstance()
                .walk(
                        calls ->
                                calls.anyMatch(
                                        call ->
                                                call.getMethodName().equals(METHOD)
                                                        && call.getClassName()
                                                                .equals(ENVIRONMENT)));
    }
}
