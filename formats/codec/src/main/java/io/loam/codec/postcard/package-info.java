/** The postcard wire format. */
package io.loam.codec.postcard;
