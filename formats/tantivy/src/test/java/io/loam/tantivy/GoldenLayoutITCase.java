package io.loam.tantivy;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.split.SplitFooter;
import io.loam.codec.split.SplitFooter.BundledFile;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitBuilder;
import io.loam.store.spi.SplitReader;
import io.loam.store.testing.InMemoryObjectStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The golden layout, document and Json queries, on splits that were built. */
class GoldenLayoutITCase {
    private static final JsonObject GOLDEN = Golden.read("tantivy-layout.json");

    /** Every phrase of {@code collection_fields}. */
    private static final Map<String, Field> FIELDS = new LinkedHashMap<>();

    static {
        FIELDS.put(
                "text title(standard,positions)",
                field("title", new FieldKind.Text("standard", true), true, false));
        FIELDS.put(
                "text body(english,no positions)",
                field("body", new FieldKind.Text("english", false), true, false));
        FIELDS.put("keyword tag", field("tag", new FieldKind.Keyword(), true, true));
        FIELDS.put(
                "keyword label(not indexed)", field("label", new FieldKind.Keyword(), false, true));
        FIELDS.put("uuid id", field("id", new FieldKind.Uuid(), true, true));
        FIELDS.put("i64 n", field("n", new FieldKind.I64(), true, true));
        FIELDS.put("i64 count(not fast)", field("count", new FieldKind.I64(), true, false));
        FIELDS.put("f64 x", field("x", new FieldKind.F64(), true, true));
        FIELDS.put("bool b", field("b", new FieldKind.Bool(), true, true));
        FIELDS.put("date d", field("d", new FieldKind.Date(), true, true));
        FIELDS.put("date day(not fast)", field("day", new FieldKind.Date(), true, false));
        FIELDS.put(
                "json payload at ''",
                new Field("payload", "", new FieldKind.Json(), true, true, false));
    }

    @TempDir private Path work;
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private TantivySplitStore splits;

    @BeforeEach
    void openStore() throws IOException {
        splits = new TantivySplitStore(objects, TestSplits.ROOT);
    }

    @AfterEach
    void closeStore() throws IOException {
        splits.close();
    }

    private static Field field(String name, FieldKind kind, boolean indexed, boolean fast) {
        return new Field(name, name, kind, indexed, fast, false);
    }

    private static CollectionSchema schema() {
        List<Field> fields = new ArrayList<>();
        for (String phrase : Golden.strings(GOLDEN.members().get("collection_fields"))) {
            assertThat(FIELDS).as("known phrases").containsKey(phrase);
            fields.add(FIELDS.get(phrase));
        }
        List<SparseField> sparse =
                Golden.strings(GOLDEN.members().get("sparse")).stream()
                        .map(name -> new SparseField(name, Modifier.NONE))
                        .toList();
        return TestSplits.schema(fields, sparse);
    }

    @Test
    void aBuiltSplitHasTheGoldenFields() throws IOException {
        SplitRef ref =
                TestSplits.build(
                        splits, objects, schema(), work, TestSplits.documents("{\"title\":\"a\"}"));

        List<JsonValue> stored = Golden.array(storedMeta(ref), "schema");

        List<JsonValue> golden = Golden.array(GOLDEN, "fields_in_order");
        assertThat(stored).hasSameSizeAs(golden);
        for (int id = 0; id < golden.size(); id++) {
            JsonObject field = (JsonObject) golden.get(id);
            assertThat(field.members()).containsEntry("id", JsonInteger.of(id));
            assertThat(stored.get(id)).isEqualTo(expected(field));
        }
    }

    private JsonObject storedMeta(SplitRef ref) throws IOException {
        byte[] object = objects.get(TestSplits.path(ref.ulid()));
        byte[] footer = Arrays.copyOfRange(object, (int) ref.footerStart(), object.length);
        BundledFile meta =
                SplitFooter.parse("x", ref.footerStart(), footer).files().stream()
                        .filter(file -> file.name().equals("meta.json"))
                        .findFirst()
                        .orElseThrow();
        return Json.parseObject(Arrays.copyOfRange(object, (int) meta.start(), (int) meta.end()));
    }

    /** What Tantivy writes for a golden field, after the substitutions that the build makes. */
    private static JsonObject expected(JsonObject golden) {
        String name = Golden.string(golden, "name");
        String type = Golden.string(golden, "type");
        JsonObject goldenOptions = (JsonObject) golden.members().get("options");
        Map<String, JsonValue> options = new LinkedHashMap<>(goldenOptions.members());
        boolean stored = golden.members().get("stored").equals(new JsonBoolean(true));
        if (name.equals("_rowid")) {
            options.put("indexed", new JsonBoolean(true));
        }
        if (name.startsWith("_sparse_w.")) {
            stored = true;
        }
        if (List.of("standard", "english").contains(text(options.get("tokenizer")))) {
            options.put("tokenizer", new JsonString("whitespace"));
        }
        Map<String, JsonValue> expected = new LinkedHashMap<>();
        expected.put("name", new JsonString(name));
        expected.put("type", new JsonString(type.equals("json") ? "json_object" : type));
        expected.put("options", new JsonObject(options(type, options, stored)));
        return new JsonObject(expected);
    }

    private static Map<String, JsonValue> options(
            String type, Map<String, JsonValue> golden, boolean stored) {
        Map<String, JsonValue> options = new LinkedHashMap<>();
        options.put("stored", new JsonBoolean(stored));
        switch (type) {
            case "text" -> {
                assertThat(golden.keySet())
                        .isSubsetOf(
                                "tokenizer", "record", "fieldnorms", "fast_tokenizer", "indexed");
                if (golden.containsKey("tokenizer")) {
                    options.put("indexing", indexing(golden));
                }
                options.put("fast", fast(golden));
            }
            case "json" -> {
                assertThat(golden.keySet())
                        .isSubsetOf("tokenizer", "record", "expand_dots", "fast_tokenizer", "fast");
                options.put("indexing", indexing(golden));
                options.put("fast", fast(golden));
                options.put("expand_dots_enabled", golden.get("expand_dots"));
            }
            default -> {
                assertThat(golden.keySet()).isSubsetOf("indexed", "fast", "precision");
                options.put("indexed", orFalse(golden.get("indexed")));
                options.put("fast", orFalse(golden.get("fast")));
                options.put("fieldnorms", new JsonBoolean(false));
                if (type.equals("date")) {
                    options.put("precision", golden.get("precision"));
                }
            }
        }
        return options;
    }

    private static JsonValue orFalse(JsonValue value) {
        return value == null ? new JsonBoolean(false) : value;
    }

    private static JsonObject indexing(Map<String, JsonValue> golden) {
        Map<String, String> records =
                Map.of("basic", "basic", "freqs", "freq", "freqs+positions", "position");
        Map<String, JsonValue> indexing = new LinkedHashMap<>();
        indexing.put("record", new JsonString(records.get(text(golden.get("record")))));
        indexing.put("fieldnorms", golden.getOrDefault("fieldnorms", new JsonBoolean(true)));
        indexing.put("tokenizer", golden.get("tokenizer"));
        return new JsonObject(indexing);
    }

    private static JsonValue fast(Map<String, JsonValue> golden) {
        if (golden.containsKey("fast_tokenizer")) {
            return new JsonObject(Map.of("with_tokenizer", golden.get("fast_tokenizer")));
        }
        if (golden.containsKey("fast")) {
            assertThat(golden).containsEntry("fast", new JsonString("yes, no tokenizer"));
            return new JsonBoolean(true);
        }
        return new JsonBoolean(false);
    }

    private static String text(JsonValue value) {
        return value instanceof JsonString string ? string.value() : "";
    }

    @Test
    void theGoldenDocumentIsFoundByItsValues() throws IOException {
        JsonObject golden = (JsonObject) GOLDEN.members().get("document");
        assertThat(Golden.string(golden, "pk")).isEqualTo("str k");
        long rowId = ((JsonInteger) golden.members().get("row_id")).value();
        Document document =
                new Document(
                        PrimaryKey.ofString("k"),
                        (JsonObject) golden.members().get("source"),
                        Map.of(),
                        Map.of());
        SplitRef ref = buildAt(rowId, document);
        JsonObject values = (JsonObject) golden.members().get("values");
        try (SplitReader split = splits.open(ref, schema(), null)) {
            values.members().forEach((name, value) -> checkValue(split, name, value));
            assertThat(present(split)).hasSize(9);
            assertThat(golden.members().get("presence_terms")).isEqualTo(JsonInteger.of(9));
        }
    }

    private SplitRef buildAt(long rowId, Document document) throws IOException {
        io.loam.codec.Ulid ulid = io.loam.codec.Ulid.of(1, 0, rowId);
        try (SplitBuilder builder = splits.newSplit(ulid, schema(), work)) {
            builder.add(rowId, document);
            SplitBuilder.Built built = builder.finish();
            objects.putFile(TestSplits.path(ulid), built.file());
            return TestSplits.ref(ulid, built, rowId, rowId + 1);
        }
    }

    private static void checkValue(SplitReader split, String name, JsonValue value) {
        try {
            switch (name) {
                case "_pk_hex" ->
                        assertThat(split.docsOfKey(HexFormat.of().parseHex(text(value))))
                                .containsExactly(0);
                case "_rowid" ->
                        assertThat(split.docsOfRowId(((JsonInteger) value).value()))
                                .containsExactly(0);
                case "payload" -> {
                    assertThat(text(value)).isEqualTo("one object");
                    assertThat(split.matches(new SearchQuery.Exists("payload", null)))
                            .containsExactly(0);
                    assertThat(split.matches(new SearchQuery.Term("payload", "title", "Hello")))
                            .containsExactly(0);
                }
                default -> checkTyped(split, name.replace("_ms", ""), (JsonArray) value);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void checkTyped(SplitReader split, String field, JsonArray values)
            throws IOException {
        assertThat(FIELDS.values()).extracting(Field::name).contains(field);
        boolean exists = split.count(new SearchQuery.Exists(field, null)) == 1;
        assertThat(exists).as(field).isEqualTo(!values.values().isEmpty());
        for (JsonValue value : values.values()) {
            Object expected =
                    value instanceof JsonInteger number ? (Object) number.value() : text(value);
            assertThat(split.matches(new SearchQuery.Term(field, null, expected)))
                    .as("%s = %s", field, expected)
                    .containsExactly(0);
        }
    }

    private static List<String> present(SplitReader split) throws IOException {
        List<String> present = new ArrayList<>();
        for (Field field : FIELDS.values()) {
            boolean json = field.kind() instanceof FieldKind.Json;
            if (!json && split.count(new SearchQuery.Exists(field.name(), null)) == 1) {
                present.add(field.name());
            }
        }
        return present;
    }

    private static final Pattern TERM = Pattern.compile("term n ([a-z.]+)='?([^']*)'?");
    private static final Pattern TEXT = Pattern.compile("text ([a-z.]+)=(.*)");
    private static final Pattern RANGE =
            Pattern.compile("range ([a-z.]+) (\\d+)\\.\\.(\\d+) \\(i64\\)");
    private static final Pattern ANY_I64 = Pattern.compile("range ([a-z.]+) any i64");
    private static final Pattern NULL = Pattern.compile("null ([a-z.]+)");
    private static final Pattern COUNT = Pattern.compile("count ([a-z.]+) = (\\d+)");
    private static final Pattern EXISTS = Pattern.compile("exists ([a-z.]+)");
    private static final Pattern DATE = Pattern.compile("date ([a-z.]+) >= (.*)");

    private static SearchQuery query(String phrase) {
        Matcher matcher;
        if ((matcher = TERM.matcher(phrase)).matches()) {
            return new SearchQuery.Term("payload", matcher.group(1), matcher.group(2));
        } else if ((matcher = TEXT.matcher(phrase)).matches()) {
            return new SearchQuery.Match("payload", matcher.group(1), matcher.group(2), false);
        } else if ((matcher = RANGE.matcher(phrase)).matches()) {
            return range(
                    matcher.group(1),
                    Long.valueOf(matcher.group(2)),
                    Long.valueOf(matcher.group(3)));
        } else if ((matcher = ANY_I64.matcher(phrase)).matches()) {
            return range(matcher.group(1), Long.MIN_VALUE, Long.MAX_VALUE);
        } else if ((matcher = NULL.matcher(phrase)).matches()) {
            return new SearchQuery.IsNull("payload", matcher.group(1));
        } else if ((matcher = COUNT.matcher(phrase)).matches()) {
            long count = Long.parseLong(matcher.group(2));
            return new SearchQuery.ValuesCount("payload", matcher.group(1), count, count);
        } else if ((matcher = EXISTS.matcher(phrase)).matches()) {
            return new SearchQuery.Exists("payload", matcher.group(1));
        } else if ((matcher = DATE.matcher(phrase)).matches()) {
            return range(matcher.group(1), matcher.group(2), null);
        }
        throw new AssertionError("unknown query " + phrase);
    }

    private static SearchQuery range(String path, Object low, Object high) {
        return new SearchQuery.Range("payload", path, low, true, high, true);
    }

    @Test
    void theGoldenJsonQueriesFindTheirDocuments() throws IOException {
        JsonObject golden = (JsonObject) GOLDEN.members().get("json_field_queries");
        assertThat(Golden.string(golden, "field")).isEqualTo("payload at ''");
        CollectionSchema json =
                TestSplits.schema(List.of(FIELDS.get("json payload at ''")), List.of());
        List<Document> documents = new ArrayList<>();
        for (JsonValue source : Golden.array(golden, "docs")) {
            documents.add(
                    new Document(
                            PrimaryKey.ofU64(documents.size()),
                            (JsonObject) source,
                            Map.of(),
                            Map.of()));
        }
        SplitRef ref = TestSplits.build(splits, objects, json, work, documents);
        try (SplitReader split = splits.open(ref, json, null)) {
            for (JsonValue expectation : Golden.array(golden, "expect")) {
                List<JsonValue> pair = ((JsonArray) expectation).values();
                String phrase = text(pair.get(0));
                int[] expected =
                        Golden.ints(pair.get(1)).stream().mapToInt(Integer::intValue).toArray();
                assertThat(split.matches(query(phrase))).as(phrase).isEqualTo(expected);
            }
        }
    }

    @Test
    void everyGoldenPartIsRun() {
        assertThat(GOLDEN.members().keySet())
                .isEqualTo(
                        Set.of(
                                "provenance",
                                "all",
                                "collection_fields",
                                "sparse",
                                "fields_in_order",
                                "document",
                                "json_field_queries"));
    }
}
