package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;
import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Plans how a collection keeps the columns of a table, from their types and the options {@code
 * fields.<column>.*}; and the schema of a collection made for the table.
 *
 * <p>Columns are members of the document's source under their own names, but for vectors: {@code
 * ARRAY<FLOAT>} with a {@code dimension} is a dense one, {@code MAP<INT, FLOAT>} or {@code
 * ROW<indices ARRAY<INT>, values ARRAY<FLOAT>>} a sparse one.
 */
final class ColumnPlanner {
    private static final String DIMENSION = "dimension";

    private final List<TableColumn> columns = new ArrayList<>();
    private final List<Field> fields = new ArrayList<>();
    private final List<Vector> vectors = new ArrayList<>();
    private final List<String> hot = new ArrayList<>();
    private final List<SparseField> sparse = new ArrayList<>();
    private final List<Integer> key = new ArrayList<>();

    private ColumnPlanner() {}

    /**
     * Plans a table.
     *
     * @param table its name, for errors
     * @throws ValidationException naming the column or option that cannot be
     */
    static ColumnPlanner of(String table, ResolvedSchema schema, Map<String, String> options) {
        ColumnPlanner planner = new ColumnPlanner();
        List<Column> physical = schema.getColumns().stream().filter(Column::isPhysical).toList();
        List<String> names = physical.stream().map(Column::getName).toList();
        List<String> primary =
                schema.getPrimaryKey().map(UniqueConstraint::getColumns).orElse(List.of());
        if (primary.isEmpty()) {
            throw new ValidationException(
                    "table "
                            + table
                            + " needs a key: add PRIMARY KEY (<column>) NOT ENFORCED; a collection"
                            + " has one document for each key");
        }
        primary.forEach(name -> planner.key.add(names.indexOf(name)));
        for (Column column : physical) {
            planner.add(
                    column.getName(),
                    column.getDataType().getLogicalType(),
                    primary.contains(column.getName()),
                    ColumnOptions.of(column.getName(), options));
        }
        requireColumns(table, names, options);
        return planner;
    }

    /** Of each column, computed and metadata ones too, the number of physical ones before it. */
    static int[] physical(ResolvedSchema schema) {
        int[] physical = new int[schema.getColumnCount()];
        int before = 0;
        for (int i = 0; i < physical.length; i++) {
            physical[i] = before;
            before += schema.getColumns().get(i).isPhysical() ? 1 : 0;
        }
        return physical;
    }

    /**
     * Refuses to write metadata: a document keeps none but what a writer gives it.
     *
     * @throws ValidationException naming the column
     */
    static void requireVirtualMetadata(String table, ResolvedSchema schema) {
        for (Column column : schema.getColumns()) {
            if (column instanceof Column.MetadataColumn metadata && !metadata.isVirtual()) {
                throw new ValidationException(
                        "column "
                                + column.getName()
                                + ": table "
                                + table
                                + " is written, and a collection takes no metadata from its rows;"
                                + " declare the column as METADATA ... VIRTUAL, so that it is only"
                                + " read, or leave METADATA out, so that it is part of documents");
            }
        }
    }

    private static void requireColumns(
            String table, List<String> names, Map<String, String> options) {
        for (String option : options.keySet()) {
            boolean known =
                    !option.startsWith(LoamConnectorOptions.FIELDS)
                            || names.stream()
                                    .anyMatch(
                                            name ->
                                                    option.startsWith(
                                                            LoamConnectorOptions.FIELDS
                                                                    + name
                                                                    + "."));
            if (!known) {
                throw new ValidationException(
                        "option " + option + ": table " + table + " has no such column");
            }
        }
    }

    private void add(String name, LogicalType type, boolean isKey, ColumnOptions options) {
        ColumnRole role;
        if (VectorTypes.isSparse(type)) {
            role = new ColumnRole.Sparse();
            sparse.add(
                    new SparseField(
                            name, constant(options, "modifier", Modifier.class, Modifier.NONE)));
            options.requireAllRead("a sparse vector");
        } else if (options.has(DIMENSION)) {
            role = dense(name, type, options);
        } else if (isKey && options.text("kind").filter("key"::equals).isPresent()) {
            role = anyKey(type, options);
        } else {
            role =
                    new ColumnRole.Source(
                            options.text("kind").filter("uuid"::equals).isPresent()
                                    && type.is(LogicalTypeFamily.CHARACTER_STRING));
            JsonWriter.of(type, name); // refuses what a document cannot hold
            field(name, type, isKey, options).ifPresent(fields::add);
            options.requireAllRead("a column of type " + type.asSummaryString());
        }
        boolean isVector = role instanceof ColumnRole.Dense || role instanceof ColumnRole.Sparse;
        if (isKey && isVector) {
            throw new ValidationException("column " + name + ": a vector cannot be a key");
        }
        columns.add(new TableColumn(name, type, role));
    }

    private ColumnRole anyKey(LogicalType type, ColumnOptions options) {
        if (key.size() != 1 || !type.is(LogicalTypeFamily.CHARACTER_STRING)) {
            throw new ValidationException(
                    "option "
                            + options.key("kind")
                            + ": a key of any kind is one STRING, and the only key column");
        }
        options.requireAllRead("a key of any kind");
        return new ColumnRole.Key();
    }

    private ColumnRole dense(String name, LogicalType type, ColumnOptions options) {
        if (!VectorTypes.isDense(type)) {
            throw new ValidationException(
                    "option "
                            + options.key(DIMENSION)
                            + ": a dense vector is an ARRAY<FLOAT> or ARRAY<DOUBLE>, not "
                            + type.asSummaryString());
        }
        int dimension = options.number(DIMENSION).orElseThrow();
        vectors.add(
                new Vector(
                        name,
                        dimension,
                        constant(options, "distance", Distance.class, Distance.COSINE),
                        Element.F32,
                        options.parsed(
                                        "index",
                                        "one of auto, none, ivf_pq, ivf_rq, ivf_hnsw_sq",
                                        ColumnPlanner::index)
                                .orElse(new VectorIndex.Auto()),
                        Hnsw.DEFAULT,
                        null));
        if (options.flag("hot", false)) {
            hot.add(name);
        }
        options.requireAllRead("a dense vector");
        return new ColumnRole.Dense(dimension);
    }

    private static VectorIndex index(String text) {
        return switch (text) {
            case "auto" -> new VectorIndex.Auto();
            case "none" -> new VectorIndex.None();
            case "ivf_pq" -> new VectorIndex.IvfPq(null, null, 8);
            case "ivf_rq" -> new VectorIndex.IvfRq(null, 1);
            case "ivf_hnsw_sq" -> new VectorIndex.IvfHnswSq(null);
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static Optional<Field> field(
            String name, LogicalType type, boolean isKey, ColumnOptions options) {
        Optional<FieldKind> kind =
                options.parsed(
                                "kind",
                                "one of none, text, keyword, i64, f64, bool, date, uuid, json",
                                text -> FieldKinds.named(text, options))
                        .orElseGet(() -> FieldKinds.ofType(type, isKey, options));
        boolean isText = kind.filter(FieldKind.Text.class::isInstance).isPresent();
        boolean indexed = options.flag("indexed", true);
        boolean fast = options.flag("fast", !isText);
        return kind.filter(any -> indexed || fast)
                .map(
                        some ->
                                new Field(
                                        name,
                                        name,
                                        some,
                                        indexed,
                                        fast,
                                        // A date too far away for the index is no reason to refuse
                                        // a row.
                                        some instanceof FieldKind.Date));
    }

    private static <E extends Enum<E>> E constant(
            ColumnOptions options, String option, Class<E> type, E otherwise) {
        String allowed =
                "one of "
                        + String.join(
                                ", ",
                                Arrays.stream(type.getEnumConstants())
                                        .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                                        .toList());
        return options.parsed(
                        option, allowed, text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)))
                .orElse(otherwise);
    }

    TableColumns columns() {
        return new TableColumns(columns, key);
    }

    /** The first schema of a collection made for the table. */
    CollectionSchema schema() {
        return new CollectionSchema(
                1,
                fields,
                vectors,
                sparse,
                Dynamic.IGNORE,
                Math.max(
                        CollectionSchema.DEFAULT_MAX_FIELDS,
                        fields.size() + vectors.size() + sparse.size()),
                hot.isEmpty()
                        ? Map.of()
                        : Map.of(HotConfiguration.KEY, HotConfiguration.print(hot)));
    }
}
