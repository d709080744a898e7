/** The chain of manifests from the live one back along its parents. */
package io.loam.store.chain;
