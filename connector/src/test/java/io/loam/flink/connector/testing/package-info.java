/** What tests of jobs share with those of the connector. */
package io.loam.flink.connector.testing;
