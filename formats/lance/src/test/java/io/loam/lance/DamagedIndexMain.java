package io.loam.lance;

import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Searches by an index whose files are damaged, one after the other, and says what it begins and
 * what came of it. Arguments: folder of a dataset, its version, an id of a segment, the number of
 * the first case.
 */
final class DamagedIndexMain {
    private static final int FLIPS = 24;

    private DamagedIndexMain() {}

    private record Damage(Path file, String name, byte[] bytes) {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        long version = Long.parseLong(arguments[1]);
        Path index =
                folder.resolve("warehouse")
                        .resolve(LanceDataset.ROOT)
                        .resolve("_indices")
                        .resolve(arguments[2]);
        Path sound = folder.resolve("sound");
        copy(Files.exists(sound) ? sound : index, Files.exists(sound) ? index : sound);
        List<Damage> cases = cases(index);
        System.out.println("::cases " + cases.size());
        for (int i = Integer.parseInt(arguments[3]); i < cases.size(); i++) {
            Damage damage = cases.get(i);
            System.out.println("::begin " + i + " " + damage.name());
            System.out.flush();
            Files.write(damage.file(), damage.bytes());
            String outcome;
            try {
                outcome = search(folder, version);
            } finally {
                copy(sound, index);
            }
            System.out.println("::end " + i + " " + outcome.replace('\n', ' '));
        }
        System.exit(0); // native libraries keep threads
    }

    /** The process before may have ended over a damaged file. */
    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static List<Damage> cases(Path index) throws IOException {
        List<Damage> cases = new ArrayList<>();
        Random random = new Random(20261202);
        List<Path> files;
        try (Stream<Path> listed = Files.list(index)) {
            files = listed.filter(f -> !f.toString().endsWith(".opim")).sorted().toList();
        }
        for (Path file : files) {
            byte[] bytes = Files.readAllBytes(file);
            for (int length : new int[] {0, 7, bytes.length / 2, bytes.length - 1}) {
                String name = file.getFileName() + " cut to " + length;
                cases.add(new Damage(file, name, Arrays.copyOf(bytes, length)));
            }
            for (int i = 0; i < FLIPS; i++) {
                // The ends of these files say what is where.
                int at =
                        i % 2 == 0
                                ? random.nextInt(bytes.length)
                                : bytes.length - 1 - random.nextInt(Math.min(400, bytes.length));
                byte[] flipped = bytes.clone();
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                cases.add(new Damage(file, file.getFileName() + " flipped at " + at, flipped));
            }
        }
        return cases;
    }

    private static String search(Path folder, long version) {
        try (LanceDataset dataset = new LanceDataset(folder, new Random(1));
                RowSnapshot rows =
                        dataset.rows.open(
                                version, IndexOracleITCase.schema(IndexOracleITCase.L2))) {
            float[] query = new float[IndexOracleITCase.DIM];
            query[0] = 1;
            List<ScoredRow> found =
                    rows.nearest("v", query, 10, null, SearchEffort.DEFAULT, Projection.KEYS);
            List<ScoredRow> exact =
                    rows.nearest("v", query, 10, null, SearchEffort.EXACT, Projection.KEYS);
            long right =
                    found.stream()
                            .filter(
                                    one ->
                                            exact.stream()
                                                    .anyMatch(
                                                            other ->
                                                                    other.row().rowId()
                                                                            == one.row().rowId()))
                            .count();
            return "found " + right;
        } catch (IOException | RuntimeException e) {
            return "error " + e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }
}
