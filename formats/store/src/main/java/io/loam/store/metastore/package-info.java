/** The metastore: collections, pointers, leases, row-id bases and the clock. */
package io.loam.store.metastore;
