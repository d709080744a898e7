package io.loam.bench.input;

/**
 * What input to generate.
 *
 * @param seed of everything random
 * @param base records that come first, each with a new key
 * @param changes records that come then
 * @param updateShare share of the changes that go to a key that is there, chosen by Zipf; others
 *     have new keys
 * @param deleteShare share of the updates that delete
 * @param patchShare share of the updates that patch
 * @param vectors dense vectors of each document
 * @param dimension of each vector
 * @param jsonBytes about so many bytes of JSON for each document
 * @param scattered updates go to all keys alike instead of by Zipf
 */
public record InputSpec(
        long seed,
        int base,
        int changes,
        double updateShare,
        double deleteShare,
        double patchShare,
        int vectors,
        int dimension,
        int jsonBytes,
        boolean scattered) {

    /** New keys only, no vectors, documents of 500 bytes. */
    public static InputSpec of(long seed, int base) {
        return new InputSpec(seed, base, 0, 0, 0, 0, 0, 128, 500, false);
    }

    public InputSpec withChanges(int count, double share) {
        return new InputSpec(
                seed,
                base,
                count,
                share,
                deleteShare,
                patchShare,
                vectors,
                dimension,
                jsonBytes,
                scattered);
    }

    public InputSpec withDeletesAndPatches(double deletes, double patches) {
        return new InputSpec(
                seed,
                base,
                changes,
                updateShare,
                deletes,
                patches,
                vectors,
                dimension,
                jsonBytes,
                scattered);
    }

    public InputSpec withVectors(int count, int dim) {
        return new InputSpec(
                seed,
                base,
                changes,
                updateShare,
                deleteShare,
                patchShare,
                count,
                dim,
                jsonBytes,
                scattered);
    }

    public InputSpec withScatteredUpdates() {
        return new InputSpec(
                seed,
                base,
                changes,
                updateShare,
                deleteShare,
                patchShare,
                vectors,
                dimension,
                jsonBytes,
                true);
    }

    public int records() {
        return base + changes;
    }
}
