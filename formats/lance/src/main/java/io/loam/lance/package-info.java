/** Rows in Lance: the only importer of Lance and Arrow. Knows no Flink. */
package io.loam.lance;
