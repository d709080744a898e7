package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
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
import org.apache.flink.table.types.logical.utils.LogicalTypeCasts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which changes of a table its collection can follow. Fields and vectors of a collection are only
 * added, and its documents stay as they are.
 */
final class TableEvolution {
    private TableEvolution() {}

    /**
     * Refuses changes that documents would have to follow.
     *
     * @param changes as Flink tells them
     * @throws ValidationException naming the column
     */
    static void requireFollowed(String table, List<TableChange> changes) {
        for (TableChange change : changes) {
            refusal(change)
                    .ifPresent(
                            why -> {
                                throw new ValidationException("table " + table + ": " + why);
                            });
        }
    }

    private static Optional<String> refusal(TableChange change) {
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
        if (change instanceof ModifyPhysicalColumnType type) {
            return retyped(
                    type.getOldColumn().getName(),
                    type.getOldColumn().getDataType().getLogicalType(),
                    type.getNewType().getLogicalType());
        }
        boolean free =
                change instanceof ModifyColumnComment
                        || change instanceof ModifyColumnPosition
                        || change instanceof TableChange.AddWatermark
                        || change instanceof TableChange.ModifyWatermark
                        || change instanceof TableChange.DropWatermark
                        || change instanceof TableChange.SetOption
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

    /** Of what was written as the old type, the new one reads the same values. */
    private static Optional<String> retyped(String column, LogicalType from, LogicalType to) {
        boolean alike =
                from.getTypeRoot() == to.getTypeRoot()
                        || from.is(LogicalTypeFamily.NUMERIC) && to.is(LogicalTypeFamily.NUMERIC)
                        || from.is(LogicalTypeFamily.CHARACTER_STRING)
                                && to.is(LogicalTypeFamily.CHARACTER_STRING);
        boolean wider =
                alike
                        && (to.isNullable() || !from.isNullable())
                        && LogicalTypeCasts.supportsImplicitCast(from, to);
        return wider
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
