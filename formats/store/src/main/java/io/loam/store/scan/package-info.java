/** Plans by which readers without Loam read a version of a collection from its Lance dataset. */
package io.loam.store.scan;
