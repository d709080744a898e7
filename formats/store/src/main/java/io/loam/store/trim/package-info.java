/** Gives up the records of a collection's stream that no retained version needs any more. */
package io.loam.store.trim;
