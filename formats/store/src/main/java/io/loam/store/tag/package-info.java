/** Names for versions of a collection, which keep them readable for as long as they stand. */
package io.loam.store.tag;
