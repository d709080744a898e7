package io.loam.flink.connector.table;

import org.apache.flink.table.types.logical.LogicalType;

import java.io.Serializable;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The physical columns of a table, in order.
 *
 * @param key positions of the primary key's columns, in the order of the key; at least one
 */
record TableColumns(List<TableColumn> columns, List<Integer> key) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** A column and how it is kept. */
    record TableColumn(String name, LogicalType type, ColumnRole role) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    TableColumns {
        columns = List.copyOf(columns);
        key = List.copyOf(key);
    }

    TableColumn get(int position) {
        return columns.get(position);
    }

    int size() {
        return columns.size();
    }

    boolean isKey(int position) {
        return key.contains(position);
    }

    /** Position of a column, or -1. */
    int indexOf(String name) {
        return IntStream.range(0, size())
                .filter(position -> get(position).name().equals(name))
                .findFirst()
                .orElse(-1);
    }

    /** Some of the columns, the key's among them. */
    TableColumns select(List<Integer> positions) {
        return new TableColumns(
                positions.stream().map(this::get).toList(),
                key.stream().map(positions::indexOf).toList());
    }

    int[] all() {
        return IntStream.range(0, size()).toArray();
    }
}
