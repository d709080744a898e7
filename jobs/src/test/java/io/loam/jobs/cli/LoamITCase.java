package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.jobs.broker.BrokerProcess;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static io.loam.jobs.cli.LoamRun.number;
import static io.loam.jobs.cli.LoamRun.printed;
import static io.loam.jobs.cli.LoamRun.text;
import static org.assertj.core.api.Assertions.assertThat;

/** A collection from its creation through two runs of the job, as the command line shows it. */
class LoamITCase {
    private static final String[] FLAGS = {
        "--text",
        "title",
        "--keyword",
        "tag",
        "--field",
        "n:i64",
        "--vector",
        "v:3",
        "--partitions",
        "2"
    };

    @TempDir static Path folder;

    private static BrokerProcess broker;
    private static LoamRun produced;
    private static LoamRun applied;
    private static long firstVersion;

    @BeforeAll
    static void loadTwice() throws Exception {
        broker = BrokerProcess.open(folder.resolve("kafka"));
        assertThat(loam("create", "articles", FLAGS).ok().out())
                .startsWith("created collection articles (id ")
                .contains("2 partitions, topic loam.");
        produced =
                produce(
                        "--no-check",
                        "{\"_id\":1,\"title\":\"red fox\",\"tag\":\"animal\",\"n\":1,\"_vectors\":{\"v\":[1,0,0]}}",
                        "{\"_id\":2,\"title\":\"red wine\",\"tag\":\"drink\",\"n\":2,\"_vectors\":{\"v\":[0,1,0]}}",
                        "{\"upsert\":{\"title\":\"blue whale\",\"tag\":\"animal\",\"n\":3},\"pk\":\"three\",\"vectors\":{\"v\":[0.9,0.1,0]}}",
                        "{\"_id\":4,\"title\":\"gone\"}",
                        "{\"_id\":5,\"title\":}",
                        "",
                        "{\"delete\":4}",
                        "{\"patch\":{\"n\":10},\"pk\":2}",
                        "{\"_id\":6,\"n\":\"no number\"}");
        applied = loam("apply", "articles", brokers("--json", "--checkpoint-interval", "500ms"));
        firstVersion = number(applied.json().get(0), "version");
        assertThat(
                        produce(
                                        "{\"_id\":1,\"title\":\"green fox\",\"tag\":\"animal\",\"_vectors\":{\"v\":[0,0,1]}}",
                                        "{\"delete\":\"three\"}",
                                        "{\"_id\":8,\"title\":\"new\",\"n\":8}")
                                .ok()
                                .out())
                .isEqualToIgnoringNewLines("appended 3 operations");
        assertThat(loam("apply", "articles", brokers("--parallelism", "1")).ok().out())
                .matches(
                        "version \\d+ \\([1-9] commits\\), 3 live documents, 1 dead letters in all\\R");
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    @Test
    void brokenLineIsRefusedWithItsNumberAndTheRestIsAppended() {
        assertThat(produced.code()).isEqualTo(Loam.FAILED);
        assertThat(produced.err())
                .startsWith("loam: line 5: not a JSON object: Unexpected character")
                .hasLineCount(1);
        assertThat(produced.out())
                .isEqualToIgnoringNewLines("appended 7 operations, refused 1 lines");
    }

    @Test
    void documentsAreCheckedAgainstTheSchemaBeforeTheyAreAppended() throws IOException {
        LoamRun run = produce("--json", "{\"_id\":6,\"n\":\"no number\"}");
        assertThat(run.code()).isEqualTo(Loam.FAILED);
        assertThat(run.err()).startsWith("loam: line 1: schema: n: ").hasLineCount(1);
        assertThat(run.out()).isEqualToIgnoringNewLines("{\"appended\":0,\"refused\":1}");
    }

    @Test
    void applyTellsWhatItDid() {
        JsonObject told = applied.ok().json().get(0);
        assertThat(number(told, "commits")).isEqualTo(firstVersion).isPositive();
        assertThat(number(told, "live_documents")).isEqualTo(3);
        assertThat(number(told, "dead_letters_total")).isEqualTo(1);
    }

    @Test
    void applyWithNothingToDoCommitsNothing() {
        LoamRun run = loam("apply", "articles", brokers("--json"));
        assertThat(number(run.ok().json().get(0), "commits")).isZero();
    }

    @Test
    void applyPrintsItsSubmission() {
        assertThat(loam("apply", "articles", "--print", "--sink", "unit.max-rows=5").ok().out())
                .startsWith("flink run -d -c io.loam.jobs.ApplyCollectionJob")
                .contains("--warehouse " + folder.resolve("warehouse"))
                .contains("--collection articles")
                .contains("--sink.unit.max-rows 5");
    }

    @Test
    void creatingTwiceIsFineAndAnotherSchemaIsRefused() throws IOException {
        assertThat(loam("create", "articles", FLAGS).ok().out())
                .isEqualToIgnoringNewLines("collection articles is there already, just like this");
        assertThat(loam("create", "articles", "--text", "other").failure())
                .startsWith(
                        "a collection with another schema, topic or number of partitions has this"
                                + " name: default.articles, id ");
        Path schema = folder.resolve("schema.json");
        Files.writeString(schema, "{\"fields\":[{\"name\":\"a\",\"kind\":\"keyword\"}]}");
        assertThat(loam("create", "from-file", "--schema", schema.toString()).ok().out())
                .startsWith("created collection from-file");
    }

    @Test
    void collectionWithoutAVersionIsEmpty() {
        loam("create", "empty", "--text", "t").ok();
        assertThat(loam("describe", "empty").ok().out()).contains("none yet");
        assertThat(loam("get", "empty", "1").code()).isEqualTo(Loam.NOT_FOUND);
        assertThat(loam("search", "empty", "x").ok().out()).isEqualToIgnoringNewLines("no hits");
        assertThat(loam("manifests", "empty", "--json").ok().out()).isEmpty();
        assertThat(loam("history", "empty", "--json").ok().out()).isEmpty();
        assertThat(loam("dead-letters", "empty").ok().out())
                .isEqualToIgnoringNewLines("no dead letters");
        assertThat(loam("verify", "empty", "--no-log").ok().out())
                .endsWith("verified: 0 keys, 0 violations" + System.lineSeparator());
    }

    @Test
    void describeShowsOneOrAll() {
        JsonObject one = loam("describe", "articles", "--json").ok().json().get(0);
        assertThat(number(one, "live_documents")).isEqualTo(3);
        assertThat(number(one, "dead_letters_total")).isEqualTo(1);
        assertThat(number(one, "partitions")).isEqualTo(2);
        assertThat(printed(one, "schema")).contains("\"title\"");
        assertThat(loam("describe", "articles").ok().out())
                .contains("default.articles", "title tag n v[3]", "live documents");
        assertThat(loam("describe", "--json").ok().json())
                .extracting(object -> text(object, "collection"))
                .contains("articles");
        assertThat(loam("describe").ok().out()).contains("namespace", "articles");
    }

    @Test
    void manifestsAreTheChainNewestFirst() {
        List<JsonObject> manifests = loam("manifests", "articles", "--json").ok().json();
        assertThat(manifests).hasSizeGreaterThan(1);
        for (int i = 0; i < manifests.size(); i++) {
            assertThat(number(manifests.get(i), "version")).isEqualTo(manifests.size() - i);
            assertThat(text(manifests.get(i), "kind")).isEqualTo("LINK_APPLY");
        }
        assertThat(loam("manifests", "articles", "--limit", "1").ok().out()).hasLineCount(2);
    }

    @Test
    void historyAddsUpToTheLiveDocuments() {
        List<JsonObject> rows = loam("history", "articles", "--json").ok().json();
        assertThat(rows.stream().mapToLong(row -> number(row, "live_docs_delta")).sum())
                .isEqualTo(3);
        assertThat(loam("history", "articles", "--files").ok().out())
                .contains("live docs", "LINK_APPLY", "1  ");
    }

    @Test
    void diffShowsTheNetAndTheSteps() {
        long live = number(loam("describe", "articles", "--json").json().get(0), "version");
        String[] versions = {Long.toString(firstVersion), Long.toString(live)};
        assertThat(loam("diff", "articles", versions).ok().out())
                .contains("SetLanceVersion", "AdvanceOffsets", "AddSplit");
        assertThat(loam("diff", "articles", with(versions, "--steps", "--json")).ok().json())
                .extracting(object -> text(object, "action"))
                .contains("SetLanceVersion", "AdvanceOffsets");
        assertThat(loam("diff", "articles", versions[1], versions[1]).ok().out())
                .isEqualToIgnoringNewLines("no difference");
    }

    @Test
    void getFindsADocumentOfTheLiveVersionOrOfAnOlderOne() {
        JsonObject patched = loam("get", "articles", "2", "--vectors").ok().json().get(0);
        assertThat(printed(patched, "source"))
                .isEqualTo("{\"_id\":2,\"title\":\"red wine\",\"tag\":\"drink\",\"n\":10}");
        assertThat(printed(patched, "vectors")).isEqualTo("{\"v\":[0.0,1.0,0.0]}");
        assertThat(title("1")).isEqualTo("\"green fox\"");
        assertThat(title("1", "--at", Long.toString(firstVersion))).isEqualTo("\"red fox\"");
        assertThat(title("three", "--at", Long.toString(firstVersion))).isEqualTo("\"blue whale\"");
    }

    private static String title(String key, String... more) {
        JsonObject row = loam("get", "articles", with(new String[] {key}, more)).ok().json().get(0);
        return printed((JsonObject) row.members().get("source"), "title");
    }

    @Test
    void getTellsWhenNoDocumentHasTheKey() {
        for (String key : List.of("4", "6", "three", "\"1\"")) {
            LoamRun run = loam("get", "articles", key);
            assertThat(run.code()).isEqualTo(Loam.NOT_FOUND);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .startsWith("loam: no document has the key " + key + " in version ");
        }
    }

    @Test
    void searchFindsTextFilteredOrNot() {
        assertThat(keys("fox")).containsExactly("1");
        assertThat(keys("title:fox title:wine")).containsExactlyInAnyOrder("1", "2");
        assertThat(keys("title:fox title:wine", "--filter", "tag:drink")).containsExactly("2");
        assertThat(keys("+title:fox", "-k", "1", "--at", Long.toString(firstVersion)))
                .containsExactly("1");
        assertThat(loam("search", "articles", "whale").ok().out())
                .isEqualToIgnoringNewLines("no hits");
        assertThat(loam("search", "articles", "wine").ok().out())
                .startsWith("score")
                .contains("red wine");
    }

    @Test
    void searchFindsNearestVectors() {
        assertThat(keys("--vector", "v", "--values", "0,0.1,1")).containsExactly("1", "2");
        assertThat(keys("--vector", "v", "--like", "2", "-k", "1")).containsExactly("2");
        assertThat(keys("--vector", "v", "--values", "0,0,1", "--filter", "tag:drink"))
                .containsExactly("2");
        assertThat(loam("search", "articles", "--vector", "v", "--values", "0,0,1").ok().out())
                .startsWith("distance");
    }

    private static List<String> keys(String... arguments) {
        return loam("search", "articles", with(arguments, "--json")).ok().json().stream()
                .map(row -> printed(row, "pk"))
                .toList();
    }

    @Test
    void deadLettersShowTheReason() {
        JsonObject letter = loam("dead-letters", "articles", "--json").ok().json().get(0);
        assertThat(text(letter, "reason")).startsWith("schema: n: ");
        assertThat(text(letter, "key_hex")).isEqualTo("010000000000000006");
        assertThat(loam("dead-letters", "articles").ok().out())
                .hasLineCount(2)
                .contains("schema: n: ");
    }

    @Test
    void verifyFindsNothingWrong() {
        JsonObject report = loam("verify", "articles", brokers("--json")).ok().json().get(0);
        assertThat(number(report, "violation_count")).isZero();
        assertThat(printed(report, "skipped")).isEqualTo("[]");
        assertThat(loam("verify", "articles").ok().out())
                .endsWith("verified: 3 keys, 0 violations" + System.lineSeparator());
        assertThat(loam("verify", "articles", "--no-log").ok().out()).contains("skipped: ");
    }

    @Test
    void checkpointsThatWouldLoseDataAreRefused() {
        for (String option :
                List.of(
                        "execution.checkpointing.unaligned.enabled=true",
                        "execution.checkpointing.mode=AT_LEAST_ONCE")) {
            String failure = loam("apply", "articles", brokers("--flink", option)).failure();
            assertThat(failure).contains(option.substring(0, option.indexOf('=')));
        }
        assertThat(loam("apply", "articles", brokers("--sink", "unit.rows=1")).failure())
                .startsWith("unknown parameter --sink.unit.rows; the sink has --sink.");
        assertThat(loam("apply", "articles", brokers("--checkpoint-interval", "x")).failure())
                .isEqualTo("--checkpoint-interval x is no time; write 10s or 500ms");
    }

    @Test
    @Timeout(55) // Kafka's client alone would try for a minute
    void verifyTellsSoonThatNoBrokerAnswers() {
        assertThat(loam("verify", "articles", "--brokers", "127.0.0.1:1").failure())
                .isEqualTo(
                        "no broker answers at 127.0.0.1:1; check --brokers and that Kafka is up");
    }

    @Test
    void wrongQuestionsAreAnsweredInOneLine() {
        assertThat(loam("diff", "articles", "1", "99").failure())
                .isEqualTo("version 99 is not retained; see the list of manifests");
        assertThat(loam("diff", "articles", "2", "1").failure())
                .startsWith("a difference goes from an older version to a newer one");
        assertThat(loam("get", "articles", "1", "--at", "99").failure()).contains("version 99");
        assertThat(loam("get", "articles", "-1").failure()).startsWith("not a key: -1");
        assertThat(loam("search", "articles", "title:(").failure()).startsWith("query, character ");
        assertThat(loam("search", "articles", "nofield:x").failure())
                .startsWith("query, character ");
        assertThat(loam("search", "articles", "fox", "--filter", "tag:[").failure())
                .startsWith("query, character ");
        assertThat(loam("search", "articles").failure())
                .isEqualTo("give a text query, or --vector <name> with --values or --like");
        assertThat(loam("search", "articles", "--vector", "w", "--values", "1").failure())
                .isEqualTo("the schema has no vector \"w\"; it has [v]");
        assertThat(loam("search", "articles", "--vector", "v", "--values", "1,2").failure())
                .isEqualTo("vector \"v\" has 3 dimensions, --values 2");
        assertThat(loam("search", "articles", "--vector", "v").failure())
                .isEqualTo("with --vector give either --values or --like, and no query");
        assertThat(loam("search", "articles", "--vector", "v", "--like", "8").failure())
                .isEqualTo("document 8 has no vector \"v\"");
        assertThat(loam("search", "articles", "--vector", "v", "--like", "9").failure())
                .isEqualTo("no document has the key 9");
        assertThat(loam("search", "articles", "fox", "-k", "0").failure())
                .isEqualTo("k must be at least 1, not 0");
        assertThat(
                        loam("search", "articles", "--vector", "v", "--values", "1,0,0", "-k", "0")
                                .failure())
                .isEqualTo("k must be at least 1, not 0");
        assertThat(loam("produce", "articles", folder.resolve("nofile").toString()).failure())
                .isEqualTo("no file at " + folder.resolve("nofile"));
        assertThat(loam("manifests", "articles", "--limit", "-1").failure())
                .isEqualTo("--limit must not be negative, it is -1");
        assertThat(loam("apply", "articles", "--parallelism", "0").failure())
                .isEqualTo("--parallelism must be at least 1, it is 0");
    }

    private static LoamRun produce(String... optionAndLines) throws IOException {
        Path file = Files.createTempFile(folder, "lines", ".jsonl");
        boolean option = optionAndLines[0].startsWith("--");
        Files.write(
                file, Arrays.asList(optionAndLines).subList(option ? 1 : 0, optionAndLines.length));
        return option
                ? loam("produce", "articles", file.toString(), optionAndLines[0])
                : loam("produce", "articles", file.toString());
    }

    /** Some commands name the brokers, the others find the running one beside the warehouse. */
    private static String[] brokers(String... more) {
        return with(more, "--brokers", broker.bootstrapServers());
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.of(arguments, more).flatMap(Arrays::stream).toArray(String[]::new);
    }

    /** Runs a command given as strings and arrays of them. */
    private static LoamRun loam(Object... arguments) {
        List<String> words = new ArrayList<>();
        for (Object argument : arguments) {
            if (argument instanceof String[]) {
                words.addAll(List.of((String[]) argument));
            } else {
                words.add((String) argument);
            }
        }
        words.addAll(List.of("--warehouse", folder.resolve("warehouse").toString()));
        return LoamRun.of(words.toArray(String[]::new));
    }
}
