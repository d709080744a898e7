package io.loam.store.verify;

import io.loam.codec.record.Document;

/** What a key's row must hold: the document and the record that wrote it last. */
public record ExpectedRow(Document document, int partition, long offset) {}
