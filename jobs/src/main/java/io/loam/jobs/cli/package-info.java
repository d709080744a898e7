/** The {@code loam} command line. */
package io.loam.jobs.cli;
