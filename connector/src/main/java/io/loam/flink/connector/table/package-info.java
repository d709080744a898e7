/** Collections as tables of Flink SQL. */
package io.loam.flink.connector.table;
