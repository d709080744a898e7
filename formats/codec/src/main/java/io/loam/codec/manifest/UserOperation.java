package io.loam.codec.manifest;

/**
 * What a commit did, in actions that turn its parent manifest into its own. Widened by its slice.
 */
public record UserOperation() {}
