/** Hot graphs as indexes of Lucene's with nothing but vectors. Knows no object store. */
package io.loam.hnsw;
