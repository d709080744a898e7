/** What row and split formats provide; loaded with ServiceLoader. */
package io.loam.store.spi;
