/** Side jobs on collections: {@link io.loam.flink.connector.maintenance.LoamMaintenance}. */
package io.loam.flink.connector.maintenance;
