/** Folding the operations of a key latest-wins; pure functions. */
package io.loam.codec.fold;
