/**
 * Flink operators that turn records into committables: decode, stage, aggregate. They know Flink
 * and the durable tier; of Lance and Tantivy only the interfaces in {@code io.loam.store.spi}, and
 * of Kafka nothing.
 */
package io.loam.flink.operators;
