/** Figures of whole jobs: a collection that grows, starts without state, freshness, scaling. */
package io.loam.bench.job;
