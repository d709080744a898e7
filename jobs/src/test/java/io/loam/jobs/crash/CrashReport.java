package io.loam.jobs.crash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The table of all runs. */
final class CrashReport {
    private CrashReport() {}

    static String of(List<CrashResult> results) {
        Map<String, List<CrashResult>> rows = new LinkedHashMap<>();
        List<CrashResult> ordered = new ArrayList<>(results);
        ordered.sort(Comparator.comparingInt(result -> result.plan().number()));
        for (CrashResult result : ordered) {
            String row = "| " + result.plan().label() + " | " + killed(result) + " | ";
            rows.computeIfAbsent(row, any -> new ArrayList<>()).add(result);
        }
        StringBuilder text = new StringBuilder();
        text.append("| point | killed | runs | median recovery | violations |\n");
        text.append("|---|---|---|---|---|\n");
        rows.forEach(
                (row, runs) ->
                        text.append(row)
                                .append(runs.size() + " | ")
                                .append(seconds(median(runs)) + " | ")
                                .append(violations(runs) + " |\n"));
        int kills = results.stream().mapToInt(CrashResult::kills).sum();
        long records = results.stream().mapToLong(CrashResult::records).sum();
        long versions = results.stream().mapToLong(CrashResult::versions).sum();
        text.append(
                String.format(
                        Locale.ROOT,
                        "\n%d runs, %d processes killed, %d records, %d versions, median recovery"
                                + " %s, **%d violations**.\n",
                        results.size(),
                        kills,
                        records,
                        versions,
                        seconds(median(results)),
                        violations(results)));
        return text.toString();
    }

    private static String killed(CrashResult result) {
        return result.plan().point() == null
                ? result.plan().victim().label() + ", then any"
                : result.plan().victim().label();
    }

    private static long median(List<CrashResult> runs) {
        List<Long> times =
                runs.stream().flatMap(run -> run.recoveryMs().stream()).sorted().toList();
        return times.isEmpty() ? -1 : times.get(times.size() / 2);
    }

    private static String seconds(long ms) {
        return ms < 0 ? "-" : String.format(Locale.ROOT, "%.1f s", ms / 1000.0);
    }

    private static int violations(List<CrashResult> runs) {
        return runs.stream().mapToInt(run -> run.violations().size()).sum();
    }
}
