/** Side jobs on the real formats. */
package io.loam.jobs.maintain;
