/** Object stores: immutable, create-only objects under string paths. */
package io.loam.store.object;
