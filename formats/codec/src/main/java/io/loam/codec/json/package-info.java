/** The JSON of document sources: strict parsing, exact integers, kept key order. */
package io.loam.codec.json;
