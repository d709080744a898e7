package io.loam.store.verify;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.schema.DocumentCheck;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.commit.CommitMode;
import io.loam.store.history.DeadLetters;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.tag.Tags;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the live version of a collection and its retained history:
 *
 * <ol>
 *   <li>rows hold exactly what the log folds to, or what a given model says; in direct mode rows
 *       and dead letters have their keys' partitions and ids of their own
 *   <li>every key has one live row
 *   <li>live documents of the splits add up to the live count
 *   <li>every live split document is one live row and back, under the same key and row id
 *   <li>PK deltas lead from the oldest retained version's keys to the live ones
 *   <li>every object a retained manifest names is there in its size, data files with their
 *       checksums; row ids stay below the bounds
 *   <li>every recorded operation makes its manifest of its parent
 * </ol>
 *
 * What cannot be checked is named in the report, never passed over in silence.
 */
public final class Verifier {
    private final CollectionHandle handle;
    private final @Nullable LogReader log;
    private final @Nullable Map<PrimaryKey, ExpectedRow> model;
    private final Findings findings = new Findings();

    private Verifier(
            CollectionHandle handle,
            @Nullable LogReader log,
            @Nullable Map<PrimaryKey, ExpectedRow> model) {
        this.handle = handle;
        this.log = log;
        this.model = model;
    }

    /** Without anything to compare the rows with. */
    public static VerifyReport verify(CollectionHandle handle) throws IOException {
        return new Verifier(handle, null, null).run();
    }

    /** Against the implicit stream. */
    public static VerifyReport againstLog(CollectionHandle handle, LogReader log)
            throws IOException {
        return new Verifier(handle, log, null).run();
    }

    /** Against what a test kept. */
    public static VerifyReport againstModel(
            CollectionHandle handle, Map<PrimaryKey, ExpectedRow> model) throws IOException {
        return new Verifier(handle, null, model).run();
    }

    private VerifyReport run() throws IOException {
        ManifestChain chain = ManifestChain.of(handle);
        CollectionManifest live = chain.live().manifest();
        List<Link> retained = chain.retained();

        Map<PrimaryKey, Long> rowOfKey = new HashMap<>();
        attempt(
                "rows",
                () -> {
                    RowScan rows = new RowScan(live, expectation(live, retained), findings);
                    rows.run(handle);
                    rowOfKey.putAll(rows.rowOfKey());
                });
        if (CommitMode.isDirect(live)) {
            attempt(
                    "dead letters",
                    () ->
                            new DirectLetterCheck(handle, live, findings)
                                    .run(retained, rowOfKey.values()));
        }
        attempt("splits", () -> new SplitCheck(handle, live, findings).run(rowOfKey));
        ChainCheck history = new ChainCheck(handle, retained, findings);
        attempt("PK deltas", () -> history.pkDeltas(rowOfKey));
        attempt("operations", history::operations);
        new ObjectCheck(handle, findings).run(withTagged(retained));
        findings.count("dead letters", live.deadLettersTotal());
        return findings.report(live.version());
    }

    /** The retained versions and those that only a tag keeps. */
    private List<Link> withTagged(List<Link> retained) throws IOException {
        List<Link> links = new ArrayList<>(retained);
        Set<String> paths = new HashSet<>();
        retained.forEach(link -> paths.add(link.path()));
        Tags tags = new Tags(handle);
        List<Tag> standing = tags.standing();
        for (Tag tag : standing) {
            if (paths.add(tag.path())) {
                attempt("tags", () -> links.add(new Link(tag.path(), tags.open(tag))));
            }
        }
        if (!standing.isEmpty()) {
            findings.count("tags", standing.size());
        }
        return links;
    }

    /** A check. */
    private interface Check {
        void run() throws IOException;
    }

    /** Damage that stops a check is a finding, too, and the other checks go on. */
    private void attempt(String name, Check check) throws IOException {
        try {
            check.run();
        } catch (ObjectNotFoundException | CorruptException e) {
            findings.violation(name + ": " + e.getMessage());
        }
    }

    @Nullable
    private Map<PrimaryKey, ExpectedRow> expectation(CollectionManifest live, List<Link> retained)
            throws IOException {
        if (model != null) {
            return model;
        }
        if (log == null) {
            findings.skip("rows were not compared with the log: there is no log to read");
            return null;
        }
        if (CommitMode.isDirect(live)) {
            findings.skip("rows were not compared with a log: the collection is in direct mode");
            return null;
        }
        for (int partition : live.applied().keySet()) {
            long start = log.startOffset(partition);
            if (start > 0) {
                findings.skip(
                        "rows were not compared with the log: partition "
                                + partition
                                + " starts at offset "
                                + start);
                return null;
            }
        }
        return fold(live, retained);
    }

    /**
     * The current schema judges documents only if there was never another; otherwise the commits'
     * own dead letters say which records broke the schema of their time.
     */
    @Nullable
    private Map<PrimaryKey, ExpectedRow> fold(CollectionManifest live, List<Link> retained)
            throws IOException {
        Map<Place, DeadLetter> recorded = new HashMap<>();
        for (DeadLetters.Entry entry : DeadLetters.read(handle.objects(), retained)) {
            DeadLetter letter = entry.letter();
            if (recorded.put(new Place(letter.partition(), letter.offset()), letter) != null) {
                findings.violation(
                        "partition "
                                + letter.partition()
                                + " offset "
                                + letter.offset()
                                + ": has two dead letters");
            }
        }
        boolean complete = recorded.size() == live.deadLettersTotal();
        boolean oneSchema = handle.refreshSchema().version() == 1;
        if (!oneSchema && !complete) {
            findings.skip(
                    "rows were not compared with the log: the schema has changed, and the"
                            + " manifests with the earlier dead letters are not retained");
            return null;
        }
        DocumentCheck check = DocumentCheck.lenient(handle.schema());
        LogFold fold =
                new LogFold(
                        handle.info().partitions(),
                        oneSchema
                                ? (partition, offset, document) ->
                                        check.firstViolation(document)
                                                .map(v -> v.field() + ": " + v.message())
                                : (partition, offset, document) ->
                                        recordedViolation(
                                                recorded.get(new Place(partition, offset))));
        fold.read(log, live.applied());
        findings.count("log records", fold.records());
        compareLetters(live, fold.deadLetters(), recorded, complete);
        return fold.rows();
    }

    /** Where a record stands in the log. */
    private record Place(int partition, long offset) {}

    private static Optional<String> recordedViolation(@Nullable DeadLetter letter) {
        String prefix = "schema: ";
        return letter != null && letter.reason().startsWith(prefix)
                ? Optional.of(letter.reason().substring(prefix.length()))
                : Optional.empty();
    }

    private void compareLetters(
            CollectionManifest live,
            List<DeadLetter> folded,
            Map<Place, DeadLetter> recorded,
            boolean complete) {
        findings.requireEqual("dead letters in total", live.deadLettersTotal(), folded.size());
        Set<Place> expected = new HashSet<>();
        for (DeadLetter letter : folded) {
            Place place = new Place(letter.partition(), letter.offset());
            expected.add(place);
            DeadLetter found = recorded.get(place);
            if (found == null ? complete : !kind(found).equals(kind(letter))) {
                findings.violation(
                        "partition "
                                + letter.partition()
                                + " offset "
                                + letter.offset()
                                + ": dead letter "
                                + (found == null ? "missing" : "\"" + found.reason() + "\"")
                                + ", expected \""
                                + letter.reason()
                                + "\"");
            }
        }
        for (Place place : recorded.keySet()) {
            if (!expected.contains(place)) {
                findings.violation(
                        "partition "
                                + place.partition()
                                + " offset "
                                + place.offset()
                                + ": should not be a dead letter: "
                                + recorded.get(place).reason());
            }
        }
    }

    private static String kind(DeadLetter letter) {
        int colon = letter.reason().indexOf(':');
        return colon < 0 ? letter.reason() : letter.reason().substring(0, colon);
    }
}
