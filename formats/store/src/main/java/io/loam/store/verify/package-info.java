/** Checks that a collection's rows, splits, keys and history agree with each other and the log. */
package io.loam.store.verify;
