package io.loam.tantivy;

/** A token: text, position, and the UTF-16 range it was made of. */
record Token(String text, int position, int start, int end) {}
