package io.loam.flink.sql;

import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Executes its arguments, statements of SQL in batch mode, one after the other; prints the rows.
 */
final class StatementsMain {
    private StatementsMain() {}

    public static void main(String[] statements) throws Exception {
        TableEnvironment table = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        table.getConfig().set("parallelism.default", "1");
        for (String statement : statements) {
            TableResult result = table.executeSql(statement);
            if (statement.startsWith("SELECT")) {
                try (CloseableIterator<Row> rows = result.collect()) {
                    while (rows.hasNext()) {
                        System.out.println(rows.next());
                    }
                }
            } else {
                result.await();
            }
        }
    }
}
