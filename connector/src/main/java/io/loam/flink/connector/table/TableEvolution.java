package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.HotConfiguration;
import io.loam.codec.schema.SchemaEvolution;
import io.loam.codec.schema.SchemaException;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.TableChange.AddColumn;
import org.apache.flink.table.catalog.TableChange.DropColumn;
import org.apache.flink.table.catalog.TableChange.ModifyColumnComment;
import org.apache.flink.table.catalog.TableChange.ModifyColumnName;
import org.apache.flink.table.catalog.TableChange.ModifyColumnPosition;
import org.apache.flink.table.catalog.TableChange.ModifyPhysicalColumnType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeCasts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Which changes of a table its collection can follow. Fields and vectors of a collection are only
 * added, and its documents stay as they are.
 */
final class TableEvolution {
    private static final List<LogicalTypeFamily> SORTS =
            List.of(
                    LogicalTypeFamily.NUMERIC,
                    LogicalTypeFamily.CHARACTER_STRING,
                    LogicalTypeFamily.BINARY_STRING);
    private static final List<LogicalTypeFamily> KEY_SORTS =
            List.of(LogicalTypeFamily.INTEGER_NUMERIC, LogicalTypeFamily.CHARACTER_STRING);

    private TableEvolution() {}

    /**
     * Refuses changes that documents would have to follow.
     *
     * @param key columns of it
     * @param changes as Flink tells them
     * @throws ValidationException naming the column
     */
    static void requireFollowed(String table, List<String> key, List<TableChange> changes) {
        for (TableChange change : changes) {
            refusal(change, key)
                    .ifPresent(
                            why -> {
                                throw new ValidationException("table " + table + ": " + why);
                            });
        }
    }

    private static Optional<String> refusal(TableChange change, List<String> key) {
        if (change instanceof AddColumn add) {
            return added(add.getColumn());
        }
        if (change instanceof DropColumn drop) {
            return Optional.of(
                    "column "
                            + drop.getColumnName()
                            + " cannot be dropped: a collection keeps its fields and documents");
        }
        if (change instanceof ModifyColumnName rename) {
            return Optional.of(
                    "column "
                            + rename.getOldColumnName()
                            + " cannot be renamed: documents have members of its name");
        }
        if (change instanceof TableChange.SetOption option) {
            return ColumnOptions.isKnown(option.getKey())
                    ? Optional.empty()
                    : Optional.of(
                            "option "
                                    + option.getKey()
                                    + " means nothing; columns have the options "
                                    + String.join(", ", ColumnOptions.NAMES));
        }
        if (change instanceof ModifyPhysicalColumnType type) {
            String column = type.getOldColumn().getName();
            LogicalType from = type.getOldColumn().getDataType().getLogicalType();
            LogicalType to = type.getNewType().getLogicalType();
            return key.contains(column) && !keepsKeys(from, to)
                    ? Optional.of(
                            "column "
                                    + column
                                    + " cannot become "
                                    + to.asSummaryString()
                                    + ": it is part of the key, and keys stay as they are")
                    : retyped(column, from, to);
        }
        boolean free =
                change instanceof ModifyColumnComment
                        || change instanceof ModifyColumnPosition
                        || change instanceof TableChange.AddWatermark
                        || change instanceof TableChange.ModifyWatermark
                        || change instanceof TableChange.DropWatermark
                        || change instanceof TableChange.ResetOption
                        || change instanceof TableChange.ModifyTableComment;
        return free
                ? Optional.empty()
                : Optional.of(
                        "a collection cannot follow this change: "
                                + change.getClass().getSimpleName());
    }

    private static Optional<String> added(Column column) {
        boolean isEmpty =
                column.isPhysical() && !column.getDataType().getLogicalType().isNullable();
        return isEmpty
                ? Optional.of(
                        "column "
                                + column.getName()
                                + " cannot be NOT NULL: the documents there have no value of it")
                : Optional.empty();
    }

    private static Optional<String> retyped(String column, LogicalType from, LogicalType to) {
        return reads(from, to)
                ? Optional.empty()
                : Optional.of(
                        "column "
                                + column
                                + " cannot become "
                                + to.asSummaryString()
                                + ", it is "
                                + from.asSummaryString()
                                + ": only a wider type of the same sort reads the documents there");
    }

    /** Whether one type reads what was written as another, as the same values. */
    private static boolean reads(LogicalType from, LogicalType to) {
        if (!to.isNullable() && from.isNullable()) {
            return false;
        }
        if (from instanceof RowType one && to instanceof RowType other) {
            if (!one.getFieldNames().equals(other.getFieldNames())) {
                return false;
            }
        }
        List<LogicalType> parts = from.getChildren();
        if (!parts.isEmpty()) {
            List<LogicalType> others = to.getChildren();
            return from.getTypeRoot() == to.getTypeRoot()
                    && parts.size() == others.size()
                    && IntStream.range(0, parts.size())
                            .allMatch(i -> reads(parts.get(i), others.get(i)));
        }
        boolean alike =
                from.getTypeRoot() == to.getTypeRoot()
                        || SORTS.stream().anyMatch(sort -> from.is(sort) && to.is(sort));
        return alike && LogicalTypeCasts.supportsImplicitCast(from, to);
    }

    /** A key is text or a number; of another type its text may differ with the type. */
    private static boolean keepsKeys(LogicalType from, LogicalType to) {
        return from.copy(true).equals(to.copy(true))
                || KEY_SORTS.stream().anyMatch(sort -> from.is(sort) && to.is(sort));
    }

    /**
     * The schema that follows a collection's, for an altered table.
     *
     * @param planned what would be made for the table
     * @throws ValidationException naming the column that differs from the collection
     */
    static CollectionSchema next(
            String table, CollectionSchema present, CollectionSchema planned, String annotation) {
        Map<String, String> annotations = new HashMap<>(present.annotations());
        annotations.put(TableAnnotation.KEY, annotation);
        annotations.remove(HotConfiguration.KEY);
        annotations.putAll(planned.annotations());
        List<Field> fields = appended(table, present.fields(), planned.fields(), Field::name);
        List<Vector> vectors = appended(table, present.vectors(), planned.vectors(), Vector::name);
        List<SparseField> sparse =
                appended(
                        table, present.sparseVectors(), planned.sparseVectors(), SparseField::name);
        if (sparse.size() > present.sparseVectors().size()) {
            throw new ValidationException(
                    "table "
                            + table
                            + ": column "
                            + sparse.get(sparse.size() - 1).name()
                            + " cannot be added: a collection has the sparse vectors it was made"
                            + " with");
        }
        CollectionSchema next =
                new CollectionSchema(
                        present.version() + 1,
                        fields,
                        vectors,
                        sparse,
                        present.dynamic(),
                        Math.max(
                                present.maxFields(),
                                fields.size() + vectors.size() + sparse.size()),
                        annotations);
        try {
            SchemaEvolution.check(present, next);
        } catch (SchemaException e) {
            throw new ValidationException("table " + table + ": " + e.getMessage(), e);
        }
        return next;
    }

    /** What is there, and behind it what is not. */
    private static <T> List<T> appended(
            String table, List<T> present, List<T> planned, Function<T, String> name) {
        Map<String, T> byName = new HashMap<>();
        present.forEach(one -> byName.put(name.apply(one), one));
        List<T> next = new ArrayList<>(present);
        for (T one : planned) {
            T there = byName.get(name.apply(one));
            if (there == null) {
                next.add(one);
            } else if (!there.equals(one)) {
                throw new ValidationException(
                        "table "
                                + table
                                + ": column "
                                + name.apply(one)
                                + " is kept as "
                                + there
                                + " and cannot become "
                                + one);
            }
        }
        return next;
    }
}
