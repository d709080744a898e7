package io.loam.flink.connector;

import org.apache.flink.annotation.PublicEvolving;

/** What a sink does with a record that cannot be applied. */
@PublicEvolving
public enum OnError {
    DEAD_LETTER("dead-letter"),
    FAIL("fail");

    private final String text;

    OnError(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
