/** Trying again what may fail for a moment: how often, how long between, and what. */
package io.loam.store.retry;
