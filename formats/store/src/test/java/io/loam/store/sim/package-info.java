/**
 * A deterministic simulation of everything that writes a collection: jobs, rivals, zombies,
 * maintenance, garbage collection, over stores in memory. One seed is one run, always the same.
 */
package io.loam.store.sim;
