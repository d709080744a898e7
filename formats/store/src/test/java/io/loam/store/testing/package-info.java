/** Fakes and failing wrappers for tests of this and of other modules; published as a test jar. */
package io.loam.store.testing;
