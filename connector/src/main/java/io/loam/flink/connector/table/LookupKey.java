package io.loam.flink.connector.table;

import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the values of a lookup mean: all columns of the primary key, in any order, and perhaps
 * others that must agree.
 *
 * @param ofKey where the values of the primary key's columns are, in the order of the key
 * @param others where the other values are
 * @param columns the columns of the produced row that others are of
 */
record LookupKey(int[] ofKey, int[] others, int[] columns) implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * The key of a lookup.
     *
     * @param asked columns of the produced row, as Flink gives them
     * @param selected columns of the table that are produced; metadata follows them
     * @throws ValidationException if a document cannot be found by these columns
     */
    static LookupKey of(
            CollectionTable table, TableColumns columns, int[][] asked, int[] selected) {
        List<Integer> positions =
                Arrays.stream(asked)
                        .map(
                                path ->
                                        path.length == 1 && path[0] < selected.length
                                                ? selected[path[0]]
                                                : -1)
                        .toList();
        if (!positions.containsAll(columns.key())) {
            throw refused(table, columns, "it is looked up by " + names(columns, positions));
        }
        int[] ofKey = columns.key().stream().mapToInt(positions::indexOf).toArray();
        int[] others =
                IntStream.range(0, asked.length)
                        .filter(i -> !columns.key().contains(positions.get(i)))
                        .toArray();
        for (int other : others) {
            requireComparable(table, columns, positions.get(other));
        }
        return new LookupKey(ofKey, others, Arrays.stream(others).map(i -> asked[i][0]).toArray());
    }

    private static void requireComparable(CollectionTable table, TableColumns columns, int column) {
        if (column < 0) {
            throw refused(table, columns, "a metadata column cannot be looked up");
        }
        TableColumn other = columns.get(column);
        if (!other.type().is(LogicalTypeFamily.PREDEFINED)) {
            throw refused(
                    table,
                    columns,
                    "the column "
                            + other.name()
                            + " of type "
                            + other.type().asSummaryString()
                            + " cannot be compared in a lookup");
        }
    }

    private static ValidationException refused(
            CollectionTable table, TableColumns columns, String why) {
        return new ValidationException(
                table
                        + ": "
                        + why
                        + "; a lookup needs an equality for each column of the primary key "
                        + names(columns, columns.key())
                        + ", and other conditions go into WHERE or a join without FOR SYSTEM_TIME");
    }

    private static String names(TableColumns columns, List<Integer> positions) {
        return positions.stream()
                .map(position -> position < 0 ? "a metadata column" : columns.get(position).name())
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
