/**
 * Side jobs that keep a collection small without changing a document of it: merging splits and
 * compacting rows. Planning is pure, running builds and uploads files, and one committer publishes
 * all that a round has finished. Knows nothing of an engine; rows and text only through the SPI.
 */
package io.loam.store.maintain;
