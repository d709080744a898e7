package io.loam.jobs.corrupt;

import io.loam.codec.CorruptException;
import io.loam.store.LocalFiles;
import io.loam.store.WarehouseOptions;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Makes a collection, and for each case a copy of it that is damaged, used, healed and used again.
 * Says what it begins and what it saw, one line each, so that its end tells where it came:
 *
 * <pre>
 * cases   | how many there are
 * begin   | number | kind | damage
 * finding | text                       something that must not be
 * wrong   | text                       a value that nobody can know to be wrong
 * end     | number | outcome
 * </pre>
 */
public final class CorruptMain {
    /** Begins the lines that are meant for the test. */
    static final String SAYS = "::";

    private final SampleCollection sample;
    private final Path folder;
    private final long seed;
    private final List<String> objects;
    private final Map<String, String> truth = new LinkedHashMap<>();
    private String name = "";
    private boolean reported;
    private boolean wrong;
    private boolean gone;

    private CorruptMain(Path folder, long seed) throws IOException {
        this.folder = folder;
        this.seed = seed;
        this.sample = SampleCollection.make(folder, new Random(seed));
        this.objects = sample.objects();
    }

    /** Arguments: an empty folder, a seed, the number of the first case. */
    public static void main(String[] arguments) throws IOException {
        long seed = Long.parseLong(arguments[1]);
        CorruptMain main = new CorruptMain(Path.of(arguments[0]), seed);
        main.learn();
        List<DamagedCase> cases = DamagedCase.of(main.objects, seed);
        say("cases", Integer.toString(cases.size()));
        for (int number = Integer.parseInt(arguments[2]); number < cases.size(); number++) {
            main.run(Integer.toString(number), cases.get(number));
        }
        System.exit(0); // native libraries keep threads
    }

    private static void say(String... parts) {
        System.out.println(SAYS + String.join("|", parts).replace("\n", " ; ").replace("\r", " "));
        System.out.flush();
    }

    /** What the uses give without damage. */
    private void learn() throws IOException {
        Path copy = folder.resolve("whole");
        WarehouseOptions warehouse = sample.copy(copy);
        try (Uses uses = new Uses(sample, warehouse)) {
            for (Map.Entry<String, Uses.Use> use : uses.reads().entrySet()) {
                truth.put(use.getKey(), String.valueOf(use.getValue().run()));
            }
        }
        if (!truth.get(Uses.VERIFY).equals("[]")) {
            throw new AssertionError(truth.get(Uses.VERIFY));
        }
        LocalFiles.delete(copy);
    }

    private void run(String number, DamagedCase damaged) throws IOException {
        name = number + ", " + damaged.title() + ": ";
        reported = false;
        wrong = false;
        gone = damaged.damage() == Damage.MISSING;
        String object = damaged.object();
        byte[] good = sample.bytes(object);
        byte[] bad =
                damaged.damage()
                        .of(good, other(object), new Random(seed + Integer.parseInt(number)));
        say("begin", number, damaged.title());
        if (bad != null && Arrays.equals(bad, good)) {
            say("end", number, "not possible");
            return;
        }
        Path copy = folder.resolve("damaged");
        WarehouseOptions warehouse = sample.copy(copy);
        Path path = copy.resolve(object);
        if (bad == null) {
            Files.delete(path);
        } else {
            Files.write(path, bad);
        }
        try (Uses uses = new Uses(sample, warehouse)) {
            read(uses, object);
        }
        try (Uses uses = new Uses(sample, warehouse)) {
            publish(uses, object);
        }
        Files.write(path, good);
        try (Uses uses = new Uses(sample, warehouse)) {
            heal(uses);
        }
        LocalFiles.delete(copy);
        say("end", number, wrong ? "wrong value" : reported ? "reported" : "no effect");
    }

    /** Another object of the kind; the last but this one. */
    @Nullable
    private byte[] other(String object) throws IOException {
        ObjectKind kind = ObjectKind.of(object);
        String found = null;
        for (String candidate : objects) {
            if (ObjectKind.of(candidate).equals(kind) && !candidate.equals(object)) {
                found = candidate;
            }
        }
        return found == null ? null : sample.bytes(found);
    }

    private void read(Uses uses, String object) {
        boolean verified = false;
        for (Map.Entry<String, Uses.Use> use : uses.reads().entrySet()) {
            String seen;
            try {
                seen = String.valueOf(use.getValue().run());
            } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError e) {
                failed(use.getKey(), object, e);
                verified |= use.getKey().equals(Uses.VERIFY);
                continue;
            }
            if (seen.equals(truth.get(use.getKey())) || endsHistory(use.getKey(), object)) {
                continue;
            }
            if (use.getKey().equals(Uses.VERIFY)) {
                verified = true;
                reported = true;
                if (!seen.contains(object) && ObjectKind.of(object).checked()) {
                    say("finding", name + "verify does not name " + object + ": " + seen);
                }
            } else {
                wrong = true;
                say("wrong", name + use.getKey() + " of " + object + " gave " + head(seen));
            }
        }
        if (wrong && !verified) {
            say("finding", name + "verify finds nothing wrong with " + object);
        }
        if (wrong && ObjectKind.of(object).checked()) {
            say("finding", name + "something else was read over " + object);
        }
    }

    /** An older manifest that is gone looks as if it had been collected. */
    private boolean endsHistory(String use, String object) {
        return gone
                && use.equals(Uses.DEAD_LETTERS)
                && ObjectKind.of(object).equals(ObjectKind.COLLECTION_MANIFEST);
    }

    private static String head(String text) {
        return text.length() < 300 ? text : text.substring(0, 300) + "...";
    }

    /** A failure must be declared and name the object. */
    private void failed(String use, String object, Throwable e) {
        reported = true;
        StringBuilder text = new StringBuilder();
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            text.append(cause).append(" <- ");
        }
        if (!(e instanceof IOException) && !(e instanceof CorruptException)) {
            say("finding", name + use + " of " + object + ", undeclared: " + head(text.toString()));
        } else if (!text.toString().contains(object)) {
            say("finding", name + use + " does not name " + object + ": " + head(text.toString()));
        }
    }

    private void publish(Uses uses, String object) throws IOException {
        try {
            uses.apply(emptyFolder());
        } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError e) {
            failed("apply", object, e);
        }
    }

    private Path emptyFolder() throws IOException {
        return Files.createTempDirectory(folder, "apply");
    }

    /** What was published before verifies, and so does what is published now. */
    private void heal(Uses uses) throws IOException {
        verifyHealed(uses, "what was published over the damage");
        uses.apply(emptyFolder());
        verifyHealed(uses, "what was published after the damage was healed");
        try (Stream<Path> left = Files.list(folder)) {
            for (Path work :
                    left.filter(path -> path.getFileName().toString().startsWith("apply"))
                            .toList()) {
                LocalFiles.delete(work);
            }
        }
    }

    private void verifyHealed(Uses uses, String what) throws IOException {
        String violations = String.valueOf(uses.reads().get(Uses.VERIFY).run());
        if (!violations.equals("[]") && !wrong) {
            say("finding", name + what + ": " + head(violations));
        }
    }
}
