package io.loam.store.object;

/** An I/O error that stays the same however often the operation is tried. */
public interface Permanent {}
