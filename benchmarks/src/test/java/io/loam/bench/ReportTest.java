package io.loam.bench;

import io.loam.bench.FigureResult.Row;
import io.loam.bench.FigureResult.Verdict;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReportTest {
    private static final List<String> ORDER = List.of("T1", "T2", "T3");
    private static final Session MONDAY = new Session(Map.of("started", "monday"));
    private static final Session TUESDAY = new Session(Map.of("started", "tuesday"));

    @TempDir Path folder;

    @Test
    void aReportIsReadAsItWasWritten() throws Exception {
        Report report =
                new Report(
                        List.of(
                                figure("T1", 3, MONDAY),
                                new Measured(
                                        "T2",
                                        "what",
                                        "target",
                                        FigureResult.notMeasured("why")
                                                .without(Map.of("arm", "it")),
                                        1.5,
                                        TUESDAY)));
        Path file = folder.resolve("results.json");
        report.write(file);
        assertThat(Report.read(file)).isEqualTo(report);
        assertThat(Report.read(folder.resolve("none.json")).measured()).isEmpty();
    }

    @Test
    void whatIsNoReportIsToldOf() throws Exception {
        Path file = Files.writeString(folder.resolve("results.json"), "{\"sessions\":[{}]}");
        assertThatThrownBy(() -> Report.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("results.json holds no results");
    }

    @Test
    void figuresThatWereNotMeasuredNowStayAsTheyWere() throws Exception {
        Report older = new Report(List.of(figure("T1", 1, MONDAY), figure("T3", 1, MONDAY)));
        Report newer = new Report(List.of(figure("T3", 9, TUESDAY), figure("T2", 9, TUESDAY)));
        Report all = newer.over(older, ORDER);
        assertThat(all.measured()).extracting(Measured::id).containsExactly("T1", "T2", "T3");
        assertThat(all.measured())
                .extracting(Measured::session)
                .containsExactly(MONDAY, TUESDAY, TUESDAY);
        Path page = folder.resolve("page.md");
        Files.writeString(page, "a\n<!-- begin measured -->\nold\n<!-- end measured -->\nb\n");
        MeasuredPart.write(page, all);
        assertThat(Files.readString(page))
                .startsWith("a\n<!-- begin measured -->\n\n| figure |")
                .endsWith("<!-- end measured -->\nb\n")
                .doesNotContain("old")
                .contains("| figures | T1 |\n| started | monday |")
                .contains("| figures | T2, T3 |\n| started | tuesday |");
    }

    @Test
    void aGoalThatWasNotMeasuredIsNotMet() {
        Goal met = Goal.atMost("met", Samples.of(1), 2, "x");
        Goal missed = Goal.atMost("missed", Samples.of(3), 2, "x");
        Goal none = Goal.notMeasured("none", 2, false, "x");
        assertThat(verdict(met, met)).isEqualTo(Verdict.MET);
        assertThat(verdict(met, none)).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(verdict(met, none, missed)).isEqualTo(Verdict.MISSED);
        assertThat(verdict()).isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void thePlotTellsMetFromMissedAndShowsWhatWasNotMeasured() {
        String plot =
                Plot.of(
                        List.of(
                                figure("T1", 1, MONDAY),
                                figure("T2", 3, MONDAY),
                                new Measured(
                                        "T3",
                                        "what",
                                        "target",
                                        FigureResult.notMeasured("why"),
                                        1,
                                        MONDAY)));
        assertThat(plot).containsOnlyOnce(">met<").containsOnlyOnce(">missed<");
        assertThat(plot).containsOnlyOnce(">not measured<").doesNotContain("NaN");
    }

    private static Verdict verdict(Goal... goals) {
        return new FigureResult(List.of(), List.of(goals), "").verdict();
    }

    private static Measured figure(String id, double value, Session session) {
        Samples samples = Samples.of(value, value + 1);
        return new Measured(
                id,
                "what",
                "target",
                new FigureResult(
                        List.of(Row.of("row", samples, "ms", Samples.of(2, 4))),
                        List.of(Goal.atMost("goal", samples, 2, "ms")),
                        "a reason"),
                12.5,
                session);
    }
}
