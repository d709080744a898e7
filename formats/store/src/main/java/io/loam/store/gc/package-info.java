/**
 * Garbage collection of one collection: which objects are needed, which go, and one pass that
 * deletes. Planning is pure; what it needs is read before. Knows no schedule and no engine.
 */
package io.loam.store.gc;
