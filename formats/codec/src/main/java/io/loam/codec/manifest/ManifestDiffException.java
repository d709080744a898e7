package io.loam.codec.manifest;

/**
 * Actions do not fit the manifest they are applied to, or no actions lead from one to the other.
 */
public class ManifestDiffException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ManifestDiffException(String message) {
        super(message);
    }
}
