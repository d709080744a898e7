package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.schema.CollectionSchema;
import io.loam.flink.connector.source.RowFilter;
import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plans which of a statement's conditions narrow what is read: that the key is one of some values,
 * and comparisons of columns that are indexed. All are looked at again on what was read, so that a
 * condition may let too much pass, but never too little.
 */
final class FilterPlanner {
    /** Comparisons with column and value exchanged. */
    private static final Map<FunctionDefinition, FunctionDefinition> EXCHANGED =
            Map.of(
                    BuiltInFunctionDefinitions.EQUALS,
                    BuiltInFunctionDefinitions.EQUALS,
                    BuiltInFunctionDefinitions.LESS_THAN,
                    BuiltInFunctionDefinitions.GREATER_THAN,
                    BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL,
                    BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL,
                    BuiltInFunctionDefinitions.GREATER_THAN,
                    BuiltInFunctionDefinitions.LESS_THAN,
                    BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL,
                    BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL);

    private final TableColumns columns;
    private final KeyColumns keyColumns;
    private final CollectionSchema schema;
    private final List<ResolvedExpression> accepted = new ArrayList<>();
    private final List<RowFilter> filters = new ArrayList<>();
    @Nullable private Set<PrimaryKey> keys;

    private FilterPlanner(TableColumns columns, CollectionSchema schema) {
        this.columns = columns;
        this.keyColumns = new KeyColumns(columns);
        this.schema = schema;
    }

    /**
     * Plans conditions that all must hold.
     *
     * @param schema of the collection
     */
    static FilterPlanner of(
            TableColumns columns, CollectionSchema schema, List<ResolvedExpression> conditions) {
        FilterPlanner planner = new FilterPlanner(columns, schema);
        conditions.forEach(planner::add);
        return planner;
    }

    /** The conditions that narrow what is read. */
    List<ResolvedExpression> accepted() {
        return accepted;
    }

    /** The only keys wanted, if conditions say so. */
    Optional<Set<PrimaryKey>> keys() {
        return Optional.ofNullable(keys);
    }

    /** The filter of rows, if there is one. */
    Optional<RowFilter> filter() {
        return filters.isEmpty()
                ? Optional.empty()
                : Optional.of(filters.size() == 1 ? filters.get(0) : new RowFilter.AllOf(filters));
    }

    private void add(ResolvedExpression condition) {
        Optional<Set<PrimaryKey>> only = keysOf(condition);
        Optional<RowFilter> filter = only.isPresent() ? Optional.empty() : filterOf(condition);
        if (only.isPresent()) {
            if (keys == null) {
                keys = only.get();
            } else {
                keys.retainAll(only.get());
            }
        }
        filter.ifPresent(filters::add);
        if (only.isPresent() || filter.isPresent()) {
            accepted.add(condition);
        }
    }

    /** The keys of {@code key = value}, or of several such conditions with OR between. */
    private Optional<Set<PrimaryKey>> keysOf(ResolvedExpression condition) {
        if (!(condition instanceof CallExpression call)) {
            return Optional.empty();
        }
        FunctionDefinition function = call.getFunctionDefinition();
        List<ResolvedExpression> parts = call.getResolvedChildren();
        Set<PrimaryKey> all = new HashSet<>();
        if (function == BuiltInFunctionDefinitions.OR) {
            for (ResolvedExpression part : parts) {
                Optional<Set<PrimaryKey>> some = keysOf(part);
                if (some.isEmpty()) {
                    return Optional.empty();
                }
                all.addAll(some.get());
            }
            return Optional.of(all);
        }
        if (function == BuiltInFunctionDefinitions.EQUALS && parts.size() == 2) {
            Optional<Comparison> comparison = comparison(function, parts.get(0), parts.get(1));
            return comparison.flatMap(
                    equal -> keyColumns.lookup(equal.column, equal.value).map(this::asSet));
        }
        return Optional.empty();
    }

    private Set<PrimaryKey> asSet(List<PrimaryKey> found) {
        return new HashSet<>(found);
    }

    private record Comparison(FunctionDefinition function, TableColumn column, Object value) {}

    private Optional<Comparison> comparison(
            FunctionDefinition function, ResolvedExpression left, ResolvedExpression right) {
        if (left instanceof ValueLiteralExpression && EXCHANGED.containsKey(function)) {
            return comparison(EXCHANGED.get(function), right, left);
        }
        if (!(left instanceof FieldReferenceExpression field)
                || !(right instanceof ValueLiteralExpression literal)) {
            return Optional.empty();
        }
        Optional<Object> value = literal.getValueAs(Object.class);
        return column(field)
                .flatMap(column -> value.map(some -> new Comparison(function, column, some)));
    }

    private Optional<TableColumn> column(FieldReferenceExpression field) {
        return columns.columns().stream()
                .filter(column -> column.name().equals(field.getName()))
                .findFirst();
    }

    private Optional<RowFilter> filterOf(ResolvedExpression condition) {
        if (condition instanceof FieldReferenceExpression field) {
            return column(field).flatMap(column -> equal(column, true));
        }
        if (!(condition instanceof CallExpression call)) {
            return Optional.empty();
        }
        FunctionDefinition function = call.getFunctionDefinition();
        List<ResolvedExpression> parts = call.getResolvedChildren();
        if (function == BuiltInFunctionDefinitions.NOT) {
            return parts.get(0) instanceof FieldReferenceExpression field
                    ? column(field).flatMap(column -> equal(column, false))
                    : Optional.empty();
        }
        if (function == BuiltInFunctionDefinitions.AND) {
            List<RowFilter> some =
                    parts.stream().map(this::filterOf).flatMap(Optional::stream).toList();
            return some.isEmpty() ? Optional.empty() : Optional.of(new RowFilter.AllOf(some));
        }
        if (function == BuiltInFunctionDefinitions.OR) {
            List<RowFilter> all =
                    parts.stream().map(this::filterOf).flatMap(Optional::stream).toList();
            return all.size() == parts.size()
                    ? Optional.of(new RowFilter.AnyOf(all))
                    : Optional.empty();
        }
        return EXCHANGED.containsKey(function) && parts.size() == 2
                ? comparison(function, parts.get(0), parts.get(1)).flatMap(this::filterOf)
                : Optional.empty();
    }

    private Optional<RowFilter> filterOf(Comparison comparison) {
        FunctionDefinition function = comparison.function;
        if (function == BuiltInFunctionDefinitions.EQUALS) {
            return equal(comparison.column, comparison.value);
        }
        boolean low =
                function == BuiltInFunctionDefinitions.GREATER_THAN
                        || function == BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL;
        return indexed(comparison.column)
                .flatMap(
                        column ->
                                low
                                        ? column.between(comparison.value, null)
                                        : column.between(null, comparison.value));
    }

    private Optional<RowFilter> equal(TableColumn column, Object value) {
        return indexed(column).flatMap(found -> found.equal(value));
    }

    /** A key column shows the key, whatever the document has under its name. */
    private Optional<IndexedColumn> indexed(TableColumn column) {
        return columns.isKey(columns.columns().indexOf(column))
                ? Optional.empty()
                : IndexedColumn.of(column, schema);
    }
}
