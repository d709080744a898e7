/**
 * What a Flink job uses: the implicit-stream source, the collection sink and its options. Knows
 * Kafka and the operators; of Lance and Tantivy nothing.
 */
package io.loam.flink.connector;
