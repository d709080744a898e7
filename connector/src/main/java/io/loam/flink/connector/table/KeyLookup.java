package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.CollectionOpener;
import io.loam.store.spi.StoredRow;

import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Finds the row of a key. May be used from any thread once it is open. */
final class KeyLookup implements Serializable, AutoCloseable {
    private static final long serialVersionUID = 1L;

    private final CollectionOpener opener;
    @Nullable private final Long version;
    private final LookupSettings settings;
    private final KeyColumns keys;
    private final LookupKey key;
    private final RowFromDocument rows;
    private transient SharedReader reader;

    /**
     * @param version to look into; null for the newest
     * @param key what a row of a question's values means
     */
    KeyLookup(
            CollectionOpener opener,
            @Nullable Long version,
            LookupSettings settings,
            KeyColumns keys,
            LookupKey key,
            RowFromDocument rows) {
        this.opener = opener;
        this.version = version;
        this.settings = settings;
        this.keys = keys;
        this.key = key;
        this.rows = rows;
    }

    void open() throws IOException {
        reader = new SharedReader(opener, version, settings, System::nanoTime);
        reader.open();
    }

    /** The row of these values, if there is one: none, too, for values that are no key. */
    Collection<RowData> find(RowData values) throws IOException {
        PrimaryKey wanted = wanted((GenericRowData) values);
        if (wanted == null) {
            return List.of();
        }
        return reader.use(
                (open, collection) -> {
                    Optional<StoredRow> found = open.get(wanted, rows.projection());
                    if (found.isEmpty()) {
                        return List.of();
                    }
                    RowData row =
                            rows.convert(RowKind.INSERT, found.get(), open.manifest().version());
                    return agrees((GenericRowData) values, (GenericRowData) row)
                            ? List.of(row)
                            : List.of();
                });
    }

    @Nullable
    private PrimaryKey wanted(GenericRowData values) {
        List<Object> parts = new ArrayList<>();
        for (int position : key.ofKey()) {
            Object part = values.getField(position);
            if (part == null) {
                return null;
            }
            parts.add(part);
        }
        try {
            return keys.ofValues(parts);
        } catch (ValueException e) {
            return null; // too long, or empty: no document can have it
        }
    }

    /** Whether the columns that are looked up beside the key have the values asked for. */
    private boolean agrees(GenericRowData values, GenericRowData row) {
        for (int i = 0; i < key.others().length; i++) {
            Object asked = values.getField(key.others()[i]);
            Object found = row.getField(key.columns()[i]);
            if (asked == null || !same(asked, found)) {
                return false;
            }
        }
        return true;
    }

    private static boolean same(Object asked, @Nullable Object found) {
        return asked instanceof byte[] bytes
                ? found instanceof byte[] others && Arrays.equals(bytes, others)
                : Objects.equals(asked, found);
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
