/** Measures Loam against targets and other systems, each arm in a JVM of its own. */
package io.loam.bench;
