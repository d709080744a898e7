/** Reading one version of a collection: documents by key, text and vector search. */
package io.loam.store.read;
