/** Bringing a writer's key index in line with the manifest chain. */
package io.loam.store.repair;
