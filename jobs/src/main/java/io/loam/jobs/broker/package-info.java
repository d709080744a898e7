/** A single-node Kafka broker in a child process, for the demo and for trying things out. */
package io.loam.jobs.broker;
