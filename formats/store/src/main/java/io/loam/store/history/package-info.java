/** What happened to a collection: commits, differences between versions, dead letters. */
package io.loam.store.history;
