/**
 * Hot artifacts as objects: stored, read, checked, opened and searched. Which graphs are built is
 * the business of maintenance, how they look that of an engine.
 */
package io.loam.store.hot;
