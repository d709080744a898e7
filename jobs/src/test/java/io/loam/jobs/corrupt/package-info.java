/**
 * Every object of a collection damaged in every way, read and written by processes that may die.
 */
package io.loam.jobs.corrupt;
