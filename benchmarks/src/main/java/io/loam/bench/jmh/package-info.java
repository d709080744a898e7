/** Parts in isolation, measured with JMH: {@code bin/loam bench jmh [pattern]}. */
package io.loam.bench.jmh;
