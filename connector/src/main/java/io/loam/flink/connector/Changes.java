package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.flink.operators.CollectionElement;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes the elements that a {@link CollectionSink} in direct mode takes. A change means the same as
 * the record of it in a log would: what no log could hold (a source that is no JSON object, a
 * vector that is not finite, more than 16 MiB) becomes a dead letter, and the job goes on.
 *
 * <p>Changes of one key are applied in the order in which they reach the sink. That is the order of
 * the source as long as nothing redistributes them but a {@code keyBy} of that key.
 */
@PublicEvolving
public final class Changes {
    /** Type of a stream of changes: {@code stream.map(...).returns(Changes.TYPE)}. */
    public static final TypeInformation<CollectionElement> TYPE = CollectionElement.TYPE;

    private Changes() {}

    /** Replaces the document of a key, or makes it. */
    public static CollectionElement upsert(PrimaryKey key, String json) {
        return upsert(key, json, Map.of());
    }

    /**
     * Replaces the document of a key, or makes it.
     *
     * @param json an object
     * @param vectors dense vectors by name
     */
    public static CollectionElement upsert(
            PrimaryKey key, String json, Map<String, float[]> vectors) {
        return parsed(
                key,
                json,
                source -> new Operation.Upsert(new Document(key, source, vectors, Map.of())));
    }

    /** Removes the document of a key, if it has one. */
    public static CollectionElement delete(PrimaryKey key) {
        return of(new Operation.Delete(key));
    }

    /** Merges an object deeply into the document of a key; does nothing if it has none. */
    public static CollectionElement patch(PrimaryKey key, String json) {
        return parsed(
                key,
                json,
                source ->
                        new Operation.Patch(
                                key,
                                Operation.PatchMode.MERGE_DEEP,
                                source,
                                List.of(),
                                Map.of(),
                                Map.of(),
                                null));
    }

    /** Any operation. */
    public static CollectionElement of(Operation operation) {
        try {
            return new CollectionElement.Change(operation.key(), RecordCodec.encode(operation));
        } catch (RecordException e) {
            return rejected(operation.key().canonical(), null, "undecodable: " + e.getMessage());
        }
    }

    /**
     * A dead letter: something that could not be made a change.
     *
     * @param key canonical bytes of the key, if it is known
     * @param value whatever people need to see
     * @param reason why; up to the first colon it is a word of a contract: {@code undecodable},
     *     {@code wrong_partition} or {@code schema}
     */
    public static CollectionElement rejected(
            @Nullable byte[] key, @Nullable byte[] value, String reason) {
        return new CollectionElement.Letter(new DeadLetter(0, 0, key, value, reason));
    }

    private static CollectionElement parsed(
            PrimaryKey key, String json, Function<JsonObject, Operation> operation) {
        byte[] utf8 = json.getBytes(StandardCharsets.UTF_8);
        JsonObject source;
        try {
            source = Json.parseObject(utf8);
        } catch (JsonSyntaxException e) {
            return rejected(
                    key.canonical(),
                    utf8,
                    "undecodable: the source is no JSON object: " + e.getMessage());
        }
        return of(operation.apply(source));
    }
}
