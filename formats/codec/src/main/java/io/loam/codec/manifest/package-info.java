/** The collection manifest and the small enveloped objects it names. */
package io.loam.codec.manifest;
