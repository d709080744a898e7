package io.loam.tantivy;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.SplitBuilder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Builds splits into an object store. */
final class TestSplits {
    static final String ROOT = "ns/1/collections/5/";
    static final long FIRST_ROW_ID = 1000;

    private static final AtomicLong ULIDS = new AtomicLong();

    private TestSplits() {}

    static CollectionSchema schema(List<Field> fields, List<SparseField> sparse) {
        return new CollectionSchema(1, fields, List.of(), sparse, Dynamic.IGNORE, 1000, Map.of());
    }

    static Field field(String name, FieldKind kind) {
        boolean fast = !(kind instanceof FieldKind.Text);
        return new Field(name, name, kind, true, fast, false);
    }

    static Field text(String name, String analyzer) {
        return field(name, new FieldKind.Text(analyzer, true));
    }

    static Document document(String key, String json) {
        return document(key, json, Map.of());
    }

    static Document document(String key, String json, Map<String, SparseVector> sparse) {
        return new Document(
                PrimaryKey.ofString(key),
                Json.parseObject(json.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                sparse);
    }

    /** Documents with keys k0, k1, ... */
    static List<Document> documents(String... json) {
        List<Document> documents = new ArrayList<>();
        for (String source : json) {
            documents.add(document("k" + documents.size(), source));
        }
        return documents;
    }

    static SplitRef build(
            TantivySplitStore splits,
            ObjectStore objects,
            CollectionSchema schema,
            Path workDirectory,
            List<Document> documents)
            throws IOException {
        Ulid ulid = ulid();
        try (SplitBuilder builder = splits.newSplit(ulid, schema, workDirectory)) {
            long rowId = FIRST_ROW_ID;
            for (Document document : documents) {
                builder.add(rowId++, document);
            }
            SplitBuilder.Built built = builder.finish();
            objects.putFile(path(ulid), built.file());
            return ref(ulid, built, FIRST_ROW_ID, rowId);
        }
    }

    static SplitRef ref(Ulid ulid, SplitBuilder.Built built, long firstRowId, long endRowId) {
        return new SplitRef(
                ulid,
                built.docCount(),
                0,
                built.bytes(),
                built.footerStart(),
                built.bytes(),
                List.of(new RowIdRange(firstRowId, endRowId)),
                "",
                1,
                0,
                0,
                built.footerCrc32c());
    }

    static String path(Ulid ulid) {
        return ROOT + "text/splits/" + ulid + ".split";
    }

    private static Ulid ulid() {
        return Ulid.of(1_700_000_000_000L, 0, ULIDS.incrementAndGet());
    }
}
