/** Figures of writing, and of reading what was written: T1 to T4, and the systems they compare. */
package io.loam.bench.ingest;
