package io.loam.jobs.cli;

import io.loam.store.trim.StreamLog;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;

/** A collection's topic, as trimming sees it. */
final class TopicLog implements StreamLog {
    private final Topic topic;

    TopicLog(Topic topic) {
        this.topic = topic;
    }

    private interface Question<T> {
        T ask() throws InterruptedException;
    }

    private static <T> T ask(Question<T> question) throws IOException {
        try {
            return question.ask();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking the broker");
        }
    }

    @Override
    public String id() throws IOException {
        return ask(topic::id);
    }

    @Override
    public Map<Integer, Long> starts() throws IOException {
        return ask(() -> topic.offsets(true));
    }

    @Override
    public Map<Integer, Long> ends() throws IOException {
        return ask(() -> topic.offsets(false));
    }

    @Override
    public void deleteBefore(Map<Integer, Long> offsets) throws IOException {
        ask(
                () -> {
                    topic.deleteBefore(offsets);
                    return null;
                });
    }
}
