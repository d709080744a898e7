package io.loam.bench.ingest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;

/** The fields of a generated document that are indexed, read by streaming over its JSON. */
record FlatDocument(String title, String body, String category, long count) {
    private static final JsonFactory FACTORY = new JsonFactory();

    static FlatDocument parse(byte[] json) throws IOException {
        String title = "";
        String body = "";
        String category = "";
        long count = 0;
        try (JsonParser parser = FACTORY.createParser(json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                switch (name) {
                    case "title" -> title = parser.getText();
                    case "body" -> body = parser.getText();
                    case "category" -> category = parser.getText();
                    case "count" -> count = parser.getLongValue();
                    default -> parser.skipChildren();
                }
            }
        }
        return new FlatDocument(title, body, category, count);
    }
}
