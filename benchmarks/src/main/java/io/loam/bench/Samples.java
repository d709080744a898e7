package io.loam.bench;

import java.util.List;
import java.util.Map;

/** Measurements of one quantity, one for each run. */
public record Samples(List<Double> values) {
    public Samples {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
        values = List.copyOf(values);
    }

    public static Samples of(double... values) {
        return new Samples(java.util.Arrays.stream(values).boxed().toList());
    }

    /** One quantity of all runs. */
    public static Samples of(List<Map<String, Double>> runs, String quantity) {
        return new Samples(runs.stream().map(run -> run.get(quantity)).toList());
    }

    public double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    public double min() {
        return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    }

    public double max() {
        return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    public int runs() {
        return values.size();
    }

    /** Run by run, this over the other: what pairs are for, as a slow minute hits both. */
    public Samples over(Samples other) {
        if (other.runs() != runs()) {
            throw new IllegalArgumentException(
                    runs() + " runs cannot be paired with " + other.runs());
        }
        List<Double> ratios = new java.util.ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / other.values.get(i));
        }
        return new Samples(ratios);
    }
}
