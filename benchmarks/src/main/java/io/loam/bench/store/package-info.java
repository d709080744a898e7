/** Figures of the store below any job: commits, patched rows, cold opens. */
package io.loam.bench.store;
