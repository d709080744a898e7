/** Input that is the same for every system: generated from a seed, kept in files. */
package io.loam.bench.input;
