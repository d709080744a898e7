package io.loam.store.verify;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.history.DeadLetters;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Dead letters of direct mode: each has its key's partition and an id below the high water that
 * neither a live row nor another letter has. Nothing is applied, as there are no offsets.
 */
final class DirectLetterCheck {
    private final CollectionHandle handle;
    private final CollectionManifest live;
    private final Findings findings;

    DirectLetterCheck(CollectionHandle handle, CollectionManifest live, Findings findings) {
        this.handle = handle;
        this.live = live;
        this.findings = findings;
    }

    void run(List<Link> retained, Collection<Long> rows) throws IOException {
        if (!live.applied().isEmpty()) {
            findings.violation("direct mode: offsets are applied: " + live.applied());
        }
        List<DeadLetters.Entry> letters = DeadLetters.read(handle.objects(), retained);
        Set<Long> taken = new HashSet<>(rows);
        for (DeadLetters.Entry entry : letters) {
            check(entry, taken);
        }
        boolean complete =
                !retained.isEmpty()
                        && retained.get(retained.size() - 1).manifest().parentManifest().isEmpty();
        if (complete) {
            findings.requireEqual("dead letters in total", live.deadLettersTotal(), letters.size());
        }
    }

    private void check(DeadLetters.Entry entry, Set<Long> taken) {
        DeadLetter letter = entry.letter();
        String name =
                "version "
                        + entry.version()
                        + ": dead letter "
                        + Long.toUnsignedString(letter.offset())
                        + ": ";
        if (!taken.add(letter.offset())) {
            findings.violation(name + "its id is taken by a row or another letter");
        }
        if (Long.compareUnsigned(letter.offset(), live.rowIdHighWater()) >= 0) {
            findings.violation(name + "not below the high water " + live.rowIdHighWater());
        }
        int partition = partition(letter);
        if (letter.partition() != partition) {
            findings.violation(
                    name + "in partition " + letter.partition() + ", its key's is " + partition);
        }
    }

    private int partition(DeadLetter letter) {
        byte[] key = letter.key();
        if (key == null) {
            return 0;
        }
        try {
            return Partitioner.partitionOf(
                    PrimaryKey.parseCanonical(key), handle.info().partitions());
        } catch (InvalidKeyException e) {
            return 0; // nobody can tell its partition
        }
    }
}
