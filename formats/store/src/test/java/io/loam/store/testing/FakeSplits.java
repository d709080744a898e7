package io.loam.store.testing;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.object.ObjectStore;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.DecodedValues;
import io.loam.store.spi.DeletedDocuments;
import io.loam.store.spi.KnownDocument;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitHit;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.SplitStore;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Splits without a text engine: documents one after the other. Queries: {@code All}, and {@code
 * Match} of one word, scored by how often the printed source holds it.
 */
public final class FakeSplits implements SplitStore {
    private final ObjectStore objects;
    private final String root;

    /**
     * @param root of the collection, ending in a slash
     */
    public FakeSplits(ObjectStore objects, String root) {
        this.objects = objects;
        this.root = root;
    }

    /**
     * @param document null of a placeholder
     */
    private record Doc(long rowId, @Nullable Document document) {}

    @Override
    public SplitBuilder newSplit(Ulid ulid, CollectionSchema schema, Path workDir) {
        return new Builder(workDir.resolve(ulid + ".split"));
    }

    private static final class Builder implements SplitBuilder {
        private final Path file;
        private final PostcardWriter out = new PostcardWriter();
        private int docs;

        Builder(Path file) {
            this.file = file;
        }

        @Override
        public void add(long rowId, Document document) {
            out.u64(rowId).bytes(document.key().canonical());
            out.bytes(RecordCodec.encode(new Operation.Upsert(document)));
            docs++;
        }

        @Override
        public void addPlaceholder(long rowId) {
            out.u64(rowId).bytes(new byte[0]);
            docs++;
        }

        @Override
        public Built finish() throws IOException {
            byte[] bytes = out.toByteArray();
            Files.write(file, bytes);
            return new Built(file, docs, bytes.length, bytes.length, 0);
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
        }
    }

    /** Documents carry all they are, so that their bytes one after the other are a split. */
    @Override
    public Optional<SplitBuilder.Built> join(
            Ulid ulid,
            List<SplitRef> inputs,
            List<KnownDocument> sample,
            CollectionSchema current,
            Path workDir)
            throws IOException {
        List<Doc> docs = new ArrayList<>();
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (SplitRef input : inputs) {
            byte[] bytes = bytes(input);
            docs.addAll(docs(bytes));
            joined.write(bytes);
        }
        for (KnownDocument known : sample) {
            Doc doc = docs.get(known.doc());
            if (doc.rowId() != known.rowId() || !known.key().equals(doc.document().key())) {
                throw new IOException("document " + known.doc() + " is not " + known);
            }
        }
        Path file = workDir.resolve(ulid + ".joined.split");
        Files.write(file, joined.toByteArray());
        return Optional.of(
                new SplitBuilder.Built(file, docs.size(), joined.size(), joined.size(), 0));
    }

    @Override
    public SplitReader openBeside(
            SplitRef split, CollectionSchema current, DeletedDocuments deleted) throws IOException {
        List<Doc> docs = docs(bytes(split));
        RoaringBitmap gone = deleted.await();
        return new Reader(docs, gone == null ? new RoaringBitmap() : gone);
    }

    private byte[] bytes(SplitRef split) throws IOException {
        byte[] bytes = objects.get(root + "text/splits/" + split.ulid() + ".split");
        if (bytes.length != split.sizeBytes()) {
            throw new CorruptException("split " + split.ulid() + " has another size");
        }
        return bytes;
    }

    private static List<Doc> docs(byte[] bytes) {
        List<Doc> docs = new ArrayList<>();
        PostcardReader in = new PostcardReader(bytes);
        while (in.remaining() > 0) {
            long rowId = in.u64();
            byte[] key = in.bytes();
            if (key.length == 0) {
                docs.add(new Doc(rowId, null));
                continue;
            }
            Operation.Upsert upsert = (Operation.Upsert) RecordCodec.decode(key, in.bytes());
            docs.add(new Doc(rowId, upsert.document()));
        }
        return docs;
    }

    @Override
    public void decode(String path, DecodedValues into) throws IOException {
        PostcardReader in = new PostcardReader(objects.get(path));
        while (in.remaining() > 0) {
            in.u64();
            byte[] key = in.bytes();
            into.value(key);
            if (key.length > 0) {
                into.value(in.bytes());
            }
        }
    }

    @Override
    public CollectionSchema schemaOf(SplitRef split, CollectionSchema current) {
        return new CollectionSchema(
                split.schemaVersion(),
                current.fields(),
                current.vectors(),
                current.sparseVectors(),
                CollectionSchema.Dynamic.IGNORE,
                current.maxFields(),
                current.annotations());
    }

    private record Reader(List<Doc> docs, RoaringBitmap deleted) implements SplitReader {
        @Override
        public int docCount() {
            return docs.size();
        }

        @Override
        public List<SplitHit> search(SearchQuery query, int k) {
            return IntStream.of(matches(query))
                    .mapToObj(doc -> new SplitHit(doc, score(query, docs.get(doc))))
                    .sorted(
                            Comparator.comparing(SplitHit::score, Comparator.reverseOrder())
                                    .thenComparing(SplitHit::doc))
                    .limit(k)
                    .toList();
        }

        @Override
        public long count(SearchQuery query) {
            return matches(query).length;
        }

        @Override
        public int[] matches(SearchQuery query) {
            return IntStream.range(0, docs.size())
                    .filter(doc -> !deleted.contains(doc) && score(query, docs.get(doc)) > 0)
                    .toArray();
        }

        private static float score(SearchQuery query, Doc doc) {
            if (query instanceof SearchQuery.All) {
                return 1;
            }
            if (doc.document() == null) {
                return 0;
            }
            String word = ((SearchQuery.Match) query).text();
            return Json.text(doc.document().source()).split("\\b" + word + "\\b", -1).length - 1;
        }

        @Override
        public int[] docsOfKey(byte[] canonicalKey) {
            return IntStream.range(0, docs.size())
                    .filter(
                            doc ->
                                    docs.get(doc).document() != null
                                            && Arrays.equals(
                                                    docs.get(doc).document().key().canonical(),
                                                    canonicalKey))
                    .toArray();
        }

        @Override
        @Nullable
        public List<byte[]> keysOf(int[] wanted) {
            boolean all = docs.stream().allMatch(doc -> doc.document() != null);
            return all
                    ? IntStream.of(wanted)
                            .mapToObj(doc -> docs.get(doc).document().key().canonical())
                            .toList()
                    : null;
        }

        @Override
        public int[] docsOfRowId(long rowId) {
            return IntStream.range(0, docs.size())
                    .filter(doc -> docs.get(doc).rowId() == rowId)
                    .toArray();
        }

        @Override
        public void close() {}
    }

    @Override
    public void close() {}
}
