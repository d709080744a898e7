/**
 * The durable tier without an engine: objects, the metastore, commits, repair, reading and checking
 * a collection. Knows no Flink, Lance or Tantivy.
 */
package io.loam.store;
