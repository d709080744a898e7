package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.input.Entry;
import io.loam.bench.input.InputFile;

import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.FSDirectory;

import java.util.Map;

/**
 * Lucene's {@code updateDocument} for each record and a commit for each checkpoint: what keys and
 * text cost without an object store, vectors or versions.
 */
final class LuceneSteps implements Arm {
    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Arguments arguments = new Arguments(args);
        InputFile input = InputFile.open(arguments.input());
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setRAMBufferSizeMB(256);
        try (FSDirectory directory = FSDirectory.open(arguments.directory().resolve("index"));
                IndexWriter writer = new IndexWriter(directory, config)) {
            return Steps.run(
                    arguments,
                    input.records(),
                    (from, to) -> {
                        for (int i = from; i < to; i++) {
                            Entry entry = input.entry(i);
                            writer.updateDocument(
                                    new Term(EntryBatch.KEY, entry.key()), document(entry));
                        }
                        writer.commit();
                    });
        }
    }

    private static Document document(Entry entry) throws Exception {
        FlatDocument parsed = FlatDocument.parse(entry.json());
        Document document = new Document();
        document.add(new StringField(EntryBatch.KEY, entry.key(), Field.Store.YES));
        document.add(new StoredField(EntryBatch.SOURCE, entry.json()));
        document.add(new TextField("title", parsed.title(), Field.Store.NO));
        document.add(new TextField("body", parsed.body(), Field.Store.NO));
        document.add(new StringField("category", parsed.category(), Field.Store.NO));
        document.add(new LongField("count", parsed.count(), Field.Store.NO));
        return document;
    }
}
