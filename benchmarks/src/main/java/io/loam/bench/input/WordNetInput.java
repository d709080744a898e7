package io.loam.bench.input;

import io.loam.bench.BenchContext;
import io.loam.jobs.demo.GlossEmbeddings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Real documents with real vectors: synsets of WordNet with embeddings of their glosses. They are
 * embedded once and kept, as that takes longer than what is measured with them.
 */
public final class WordNetInput {
    /** Of each vector. */
    public static final int DIMENSION = GlossEmbeddings.DIMENSION;

    private static final int SYNSETS = 20_000;
    private static final Duration LONGEST = Duration.ofMinutes(6);

    private WordNetInput() {}

    /** Each synset once, by its own key. */
    public static Path once(BenchContext context) throws IOException, InterruptedException {
        int synsets = context.size(500, SYNSETS);
        Path file = context.kept().resolve("wordnet-" + synsets + ".data");
        if (!Files.exists(file)) {
            context.forkOnce(
                    WordNetArm.class,
                    Map.of(
                            WordNetArm.FILE, file.toString(),
                            WordNetArm.DOCUMENTS, Integer.toString(synsets)),
                    List.of("-Xmx2g"),
                    LONGEST);
        }
        return file;
    }

    /** Each synset so many times, under other keys: enough of them to measure a rate by. */
    public static Path times(BenchContext context, int copies)
            throws IOException, InterruptedException {
        Path once = once(context);
        Path file = context.inputs().resolve("wordnet-times-" + copies + ".data");
        if (!Files.exists(file)) {
            InputFile synsets = InputFile.open(once);
            int records = copies * synsets.records();
            InputFile.write(
                    file,
                    IntStream.range(0, records)
                            .mapToObj(i -> copy(synsets, i % synsets.records(), i))
                            .iterator(),
                    records);
        }
        return file;
    }

    private static Entry copy(InputFile synsets, int record, int number) {
        Entry entry = synsets.entry(record);
        int copy = number / synsets.records();
        return new Entry(entry.kind(), entry.key() + "-" + copy, entry.json(), entry.vectors());
    }
}
