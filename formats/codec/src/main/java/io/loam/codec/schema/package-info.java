/** The schema of a collection: model, validation, evolution, and what it makes of documents. */
package io.loam.codec.schema;
