/** What a writer stages before a barrier: unit descriptors, key lists, dead-letter parts. */
package io.loam.codec.staged;
