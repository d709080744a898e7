/** Erasing documents for good: from every version, and from every object. */
package io.loam.store.erase;
