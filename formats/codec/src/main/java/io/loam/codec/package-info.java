/**
 * Values to bytes and back: the byte formats of a collection. Nothing here does I/O, reads a clock
 * or starts a thread.
 */
package io.loam.codec;
