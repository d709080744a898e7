/** Operations and their encoding as records of the implicit stream. */
package io.loam.codec.record;
