/** Primary keys: their canonical bytes, wire form, order and partition. */
package io.loam.codec.key;
