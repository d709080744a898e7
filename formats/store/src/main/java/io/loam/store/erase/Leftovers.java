package io.loam.store.erase;

import java.util.List;

/**
 * What a look through the objects of a collection found of an erasure.
 *
 * @param objects that were looked through
 * @param bytes of these, as stored
 * @param sequences that were looked for, beside keys
 * @param found at most so many as are worth showing; empty if there is nothing left
 * @param count of all
 * @param writtenAgain how many of the keys have a document again, written after the erasure; those
 *     are not counted
 */
public record Leftovers(
        long objects,
        long bytes,
        int sequences,
        List<Leftover> found,
        long count,
        int writtenAgain) {
    /**
     * Something that is left.
     *
     * @param path of the object
     * @param what is in it, in words that do not say the key or the value
     */
    public record Leftover(String path, String what) {}

    public Leftovers {
        found = List.copyOf(found);
    }

    public boolean none() {
        return count == 0;
    }

    /**
     * What was looked for, and where, in a line for people.
     *
     * @param keys how many the erasure is about
     */
    public String looked(int keys) {
        return "looked for "
                + keys
                + " keys and "
                + sequences
                + " byte sequences in "
                + objects
                + " objects of "
                + bytes
                + " bytes: "
                + count
                + " left";
    }
}
