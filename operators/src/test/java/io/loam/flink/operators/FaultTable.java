package io.loam.flink.operators;

import io.loam.flink.operators.FaultCell.Outcome;
import io.loam.flink.operators.FaultCell.Target;
import io.loam.flink.operators.FaultCell.Use;
import io.loam.flink.operators.FaultCell.Way;
import io.loam.store.testing.FaultPlan.Fault;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What became of every cell, as text. A line of the resource is a way, an operation, a fault and
 * one outcome for each use, a dash where the cell does not exist.
 */
final class FaultTable {
    private static final String RESOURCE = "fault-matrix.txt";
    private static final String ABSENT = "-";

    private final Map<FaultCell, Outcome> outcomes;

    FaultTable(Map<FaultCell, Outcome> outcomes) {
        this.outcomes = outcomes;
    }

    /** The outcomes everybody agreed on. */
    static FaultTable expected() throws IOException {
        Map<FaultCell, Outcome> outcomes = new LinkedHashMap<>();
        try (InputStream in = FaultTable.class.getResourceAsStream(RESOURCE)) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(line -> read(line.trim().split(" +"), outcomes));
        }
        return new FaultTable(outcomes);
    }

    private static void read(String[] words, Map<FaultCell, Outcome> outcomes) {
        for (Use use : Use.values()) {
            String word = words[3 + use.ordinal()];
            if (!word.equals(ABSENT)) {
                outcomes.put(
                        new FaultCell(
                                Way.valueOf(words[0]),
                                Target.valueOf(words[1]),
                                use,
                                Fault.valueOf(words[2])),
                        Outcome.valueOf(word));
            }
        }
    }

    Map<FaultCell, Outcome> outcomes() {
        return outcomes;
    }

    /** As the resource has it. */
    String print() {
        StringBuilder out = new StringBuilder("# way operation fault");
        for (Use use : Use.values()) {
            out.append(' ').append(use);
        }
        out.append('\n');
        for (Way way : Way.values()) {
            for (Target target : Target.values()) {
                for (Fault fault : Fault.values()) {
                    line(way, target, fault, out);
                }
            }
        }
        return out.toString();
    }

    private void line(Way way, Target target, Fault fault, StringBuilder out) {
        List<Outcome> uses = new ArrayList<>();
        for (Use use : Use.values()) {
            uses.add(outcomes.get(new FaultCell(way, target, use, fault)));
        }
        if (uses.stream().allMatch(outcome -> outcome == null)) {
            return;
        }
        out.append(way).append(' ').append(target).append(' ').append(fault);
        uses.forEach(outcome -> out.append(' ').append(outcome == null ? ABSENT : outcome));
        out.append('\n');
    }

    /** A Markdown table: what becomes of a fault that strikes some uses, and of one at all uses. */
    String byFault() {
        StringJoiner head = new StringJoiner(" | ", "| operation | ", " |");
        StringJoiner rule = new StringJoiner("|", "|---|", "|");
        for (Fault fault : Fault.values()) {
            if (fault != Fault.NONE) {
                head.add(words(fault));
                rule.add("---");
            }
        }
        StringBuilder out = new StringBuilder(head + "\n" + rule + "\n");
        for (Target target : Target.values()) {
            StringJoiner row = new StringJoiner(" | ", "| " + words(target) + " | ", " |");
            for (Fault fault : Fault.values()) {
                if (fault != Fault.NONE) {
                    row.add(both(target, fault));
                }
            }
            out.append(row).append('\n');
        }
        return out.toString();
    }

    private String both(Target target, Fault fault) {
        Collection<String> some = new TreeSet<>();
        Collection<String> every = new TreeSet<>();
        outcomes.forEach(
                (cell, outcome) -> {
                    if (cell.target() == target && cell.fault() == fault) {
                        (cell.use() == Use.EVERY ? every : some).add(words(outcome));
                    }
                });
        if (every.isEmpty()) {
            return ABSENT;
        }
        String once = String.join(" or ", some);
        String always = String.join(" or ", every);
        return once.equals(always) ? once : once + "; always: " + always;
    }

    /** A Markdown table of counts. */
    String byOutcome() {
        StringBuilder out = new StringBuilder("| operation |");
        for (Outcome outcome : Outcome.values()) {
            out.append(' ').append(words(outcome)).append(" |");
        }
        out.append(" cells |\n|---|").append("---:|".repeat(Outcome.values().length + 1));
        for (Target target : Target.values()) {
            row(words(target), outcomesOf(target), out);
        }
        row("all", List.copyOf(outcomes.values()), out);
        return out.append('\n').toString();
    }

    private List<Outcome> outcomesOf(Target target) {
        return outcomes.entrySet().stream()
                .filter(entry -> entry.getKey().target() == target)
                .map(Map.Entry::getValue)
                .toList();
    }

    private static void row(String name, List<Outcome> found, StringBuilder out) {
        Map<Outcome, Long> counts =
                found.stream()
                        .collect(
                                Collectors.groupingBy(
                                        outcome -> outcome,
                                        () -> new EnumMap<>(Outcome.class),
                                        Collectors.counting()));
        out.append("\n| ").append(name).append(" |");
        for (Outcome outcome : Outcome.values()) {
            out.append(' ').append(counts.getOrDefault(outcome, 0L)).append(" |");
        }
        out.append(' ').append(found.size()).append(" |");
    }

    private static String words(Enum<?> value) {
        return value.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
