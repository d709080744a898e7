package io.loam.flink.connector.table;

import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.functions.AsyncTableFunction;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What Flink does with asynchronous table functions, which is why those that search are none. If
 * one of these tests fails with a newer Flink, a reason is gone.
 */
class AsyncTableFunctionITCase extends TableTestBase {
    private static final String QUESTIONS = "(VALUES ('fox'), ('bear')) AS q (t)";

    /** Finds something for foxes only. */
    @FunctionHint(output = @DataTypeHint("ROW<title STRING, n INT>"))
    public static final class Search extends AsyncTableFunction<Row> {
        /** Answers at once. */
        public void eval(CompletableFuture<Collection<Row>> answer, String text) {
            answer.complete(text.equals("fox") ? List.of(Row.of("a fox", 1)) : List.of());
        }
    }

    @BeforeEach
    void createFunctions() {
        batch.createTemporarySystemFunction("ASYNC_SEARCH", Search.class);
        streaming.createTemporarySystemFunction("ASYNC_SEARCH", Search.class);
    }

    @Test
    void anOuterJoinLosesTheQuestionsThatFindNothing() throws Exception {
        assertThat(
                        lines(
                                streaming,
                                "SELECT q.t, title FROM "
                                        + QUESTIONS
                                        + " LEFT JOIN LATERAL TABLE(ASYNC_SEARCH(q.t)) AS d ON"
                                        + " TRUE"))
                .containsExactly("+I[fox, a fox]");
    }

    @Test
    void aConditionOnWhatIsFoundCannotBePlanned() {
        String query =
                "SELECT q.t, title FROM "
                        + QUESTIONS
                        + ", LATERAL TABLE(ASYNC_SEARCH(q.t)) AS d WHERE n > 1";
        assertThatThrownBy(() -> streaming.explainSql(query))
                .hasStackTraceContaining("does not support projections or conditions");
    }

    @Test
    void thereIsNoneInBatchExecution() {
        assertThatThrownBy(() -> batch.explainSql("SELECT * FROM TABLE(ASYNC_SEARCH('fox'))"))
                .hasStackTraceContaining("Cannot generate a valid execution plan");
    }
}
