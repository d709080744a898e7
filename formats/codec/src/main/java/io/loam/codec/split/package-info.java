/** The frame of a split object: bundle, footer and trailer. */
package io.loam.codec.split;
