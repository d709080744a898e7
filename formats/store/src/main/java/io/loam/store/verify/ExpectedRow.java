package io.loam.store.verify;

import io.loam.codec.record.Document;

/**
 * What a key's row must hold: the document and the record that wrote it last.
 *
 * @param partition of that record; not looked at in direct mode
 * @param offset of that record; not looked at in direct mode
 */
public record ExpectedRow(Document document, int partition, long offset) {
    /** For direct mode, where no record has a place of its own. */
    public static ExpectedRow of(Document document) {
        return new ExpectedRow(document, 0, 0);
    }
}
