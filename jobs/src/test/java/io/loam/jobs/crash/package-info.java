/** A cluster of separate processes, killed one after another while a job runs on it. */
package io.loam.jobs.crash;
