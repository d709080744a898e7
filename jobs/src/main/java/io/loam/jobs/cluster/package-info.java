/**
 * A Flink cluster of separate JVMs on this machine, and Flink clusters as clients see them: through
 * REST. It knows processes, ports and Flink's configuration, and nothing of collections.
 */
package io.loam.jobs.cluster;
