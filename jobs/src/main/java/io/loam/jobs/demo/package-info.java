/** The demo: WordNet as a stream of documents, updates, patches and deletes. */
package io.loam.jobs.demo;
