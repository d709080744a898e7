/** The Lance manifest as bytes: reading, changing and writing it without Lance. */
package io.loam.codec.lance;
