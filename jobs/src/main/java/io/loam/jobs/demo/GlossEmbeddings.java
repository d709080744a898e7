package io.loam.jobs.demo;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.allminilml6v2q.AllMiniLmL6V2QuantizedEmbeddingModel;

import java.util.List;

/** Sentence embeddings of 384 dimensions from a model that runs inside this JVM. Loads lazily. */
public final class GlossEmbeddings {
    /** Floats of an embedding. */
    public static final int DIMENSION = 384;

    private AllMiniLmL6V2QuantizedEmbeddingModel model;

    synchronized float[] embed(String text) {
        return model().embed(text).content().vector();
    }

    /** One for each of the texts, in their order. */
    public synchronized List<float[]> embedAll(List<String> texts) {
        List<TextSegment> segments = texts.stream().map(TextSegment::from).toList();
        return model().embedAll(segments).content().stream().map(e -> e.vector()).toList();
    }

    private AllMiniLmL6V2QuantizedEmbeddingModel model() {
        if (model == null) {
            model = new AllMiniLmL6V2QuantizedEmbeddingModel();
        }
        return model;
    }
}
