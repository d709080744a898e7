package io.loam.bench;

import io.loam.codec.json.Json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures with what they came to, in one session or several. */
record Report(List<Measured> measured) {
    Report {
        measured = List.copyOf(measured);
    }

    /**
     * What a file holds that {@link #write} wrote.
     *
     * @return nothing measured, if it is not there
     */
    static Report read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return new Report(List.of());
        }
        try {
            return ReportJson.report(Json.parseObject(Files.readAllBytes(file)));
        } catch (RuntimeException e) {
            throw new IOException(
                    file + " holds no results of this program; delete it, or measure all", e);
        }
    }

    void write(Path file) throws IOException {
        Files.writeString(file, Json.text(ReportJson.of(this)) + System.lineSeparator());
    }

    /**
     * These figures in the place of older results of theirs, and the others as they were.
     *
     * @param order ids of all figures there are; one that is not among them is left out
     */
    Report over(Report older, List<String> order) {
        Map<String, Measured> byId = new LinkedHashMap<>();
        older.measured().forEach(figure -> byId.put(figure.id(), figure));
        measured.forEach(figure -> byId.put(figure.id(), figure));
        List<Measured> all = new ArrayList<>(byId.values());
        all.removeIf(figure -> !order.contains(figure.id()));
        all.sort(Comparator.comparingInt(figure -> order.indexOf(figure.id())));
        return new Report(all);
    }

    /** The sessions they were measured in, with what was measured there. */
    Map<Session, List<Measured>> bySession() {
        Map<Session, List<Measured>> sessions = new LinkedHashMap<>();
        measured.forEach(
                figure ->
                        sessions.computeIfAbsent(figure.session(), session -> new ArrayList<>())
                                .add(figure));
        return sessions;
    }
}
