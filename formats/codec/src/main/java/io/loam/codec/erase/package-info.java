/** Records of erasures: what was asked for, and how far it came. */
package io.loam.codec.erase;
