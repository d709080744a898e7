package io.loam.jobs.cli;

import io.loam.store.gc.GcPlan;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.gc.GcReport;
import io.loam.store.gc.GcResult;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints what garbage collection would do, or did. */
abstract class GcPrinter {
    final PrintWriter out;

    private GcPrinter(PrintWriter out) {
        this.out = out;
    }

    static GcPrinter text(PrintWriter out) {
        return new Text(out);
    }

    static GcPrinter json(PrintWriter out) {
        return new Lines(out);
    }

    /** What would go, and on request what would stay. */
    final void plan(GcReport report, boolean kept) {
        for (GcReport.Root root : report.roots()) {
            if (root.result() != null) {
                GcPlan plan = root.result().plan();
                objects(root.name(), root.result().gone(true));
                if (kept) {
                    List<Verdict> stay =
                            plan.verdicts().stream().filter(v -> !v.fate().isDeleted()).toList();
                    objects(root.name(), stay);
                }
            }
        }
        summary(report, true);
    }

    /** What went. */
    final void done(GcReport report) {
        for (GcReport.Root root : report.roots()) {
            if (root.result() != null) {
                objects(root.name(), root.result().gone(false));
            }
        }
        summary(report, false);
    }

    abstract void objects(String root, List<Verdict> verdicts);

    abstract void summary(GcReport report, boolean planned);

    private static final class Text extends GcPrinter {
        Text(PrintWriter out) {
            super(out);
        }

        @Override
        void objects(String root, List<Verdict> verdicts) {
            for (Verdict verdict : verdicts) {
                out.println(
                        verdict.path()
                                + "  "
                                + verdict.bytes()
                                + " bytes, "
                                + age(verdict.ageMs())
                                + ": "
                                + verdict.fate().reason());
            }
        }

        private static String age(long ms) {
            Duration age = Duration.ofMillis(Math.abs(ms));
            String text =
                    age.toDays() > 1
                            ? age.toDays() + " days old"
                            : age.toHours() > 1
                                    ? age.toHours() + " hours old"
                                    : age.toMinutes() + " minutes old";
            return ms < 0 ? "of the future" : text;
        }

        @Override
        void summary(GcReport report, boolean planned) {
            for (GcReport.Root root : report.roots()) {
                boolean whole = root.failure() == null && root.result().plan().damage() != null;
                out.println(
                        root.name()
                                + ": "
                                + (root.failure() != null
                                        ? "left alone: " + ErrorText.line(root.failure())
                                        : (whole ? "kept whole, as " : "")
                                                + ErrorText.line(root.result().summary(planned))));
            }
            if (report.roots().isEmpty()) {
                out.println("no collections");
            }
        }
    }

    private static final class Lines extends GcPrinter {
        Lines(PrintWriter out) {
            super(out);
        }

        @Override
        void objects(String root, List<Verdict> verdicts) {
            for (Verdict verdict : verdicts) {
                out.println(
                        new JsonOut()
                                .put("root", root)
                                .put("path", verdict.path())
                                .put("bytes", verdict.bytes())
                                .put("age_ms", verdict.ageMs())
                                .put("goes", verdict.fate().isDeleted())
                                .put("fate", verdict.fate().name())
                                .put("reason", verdict.fate().reason()));
            }
        }

        @Override
        void summary(GcReport report, boolean planned) {
            for (GcReport.Root root : report.roots()) {
                JsonOut line = new JsonOut().put("summary", root.name());
                if (root.result() != null) {
                    GcResult result = root.result();
                    Map<String, Long> kept = new LinkedHashMap<>();
                    result.kept().forEach((fate, count) -> kept.put(fate.name(), count));
                    line.put("deleted", result.deleted())
                            .put("deleted_bytes", result.bytes(false))
                            .put("left", result.left())
                            .put("left_bytes", result.bytes(true) - result.bytes(false))
                            .put("kept", kept)
                            .put("damage", result.plan().damage());
                }
                out.println(line.put("failure", root.failure()));
            }
        }
    }
}
