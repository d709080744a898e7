/** Reads collections as a FLIP-27 source. */
package io.loam.flink.connector.source;
