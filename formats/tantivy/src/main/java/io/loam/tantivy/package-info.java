/**
 * Splits: building, opening, masking and searching them with Tantivy. The only importer of Tantivy
 * and Lucene; knows nothing of Flink, of rows or of commits.
 */
package io.loam.tantivy;
