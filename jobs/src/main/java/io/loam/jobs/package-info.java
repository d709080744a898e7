/** Main classes: the apply job and what runs it. */
package io.loam.jobs;
