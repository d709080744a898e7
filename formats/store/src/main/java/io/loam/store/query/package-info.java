/** Queries over the text and typed fields of a collection, and their text form. */
package io.loam.store.query;
