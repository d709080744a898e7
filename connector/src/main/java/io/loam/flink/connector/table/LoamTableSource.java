package io.loam.flink.connector.table;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.flink.connector.source.CollectionSource;
import io.loam.flink.connector.source.CollectionSourceBuilder;
import io.loam.flink.connector.source.RowConverter;
import io.loam.flink.connector.source.RowFilter;
import io.loam.flink.connector.table.TableColumns.TableColumn;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.VectorSearchTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsAggregatePushDown;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.AggregateExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;

import javax.annotation.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads a version of a collection: columns wanted, rows wanted as far as keys and the index can
 * tell, as many as wanted. Or reads its changes, all of them. Or the rows of keys, one by one, or
 * those near vectors.
 */
final class LoamTableSource
        implements ScanTableSource,
                LookupTableSource,
                VectorSearchTableSource,
                SupportsProjectionPushDown,
                SupportsFilterPushDown,
                SupportsAggregatePushDown,
                SupportsLimitPushDown,
                SupportsReadingMetadata,
                SupportsStatisticReport {
    private final CollectionTable table;
    private final ScanStart start;
    @Nullable private final Integer parallelism;
    private final boolean ignoreParseErrors;
    private final LookupSettings lookups;
    private int[] selected;
    private List<TableMetadata> metadata = List.of();
    private DataType produced;
    @Nullable private Set<PrimaryKey> keys;
    @Nullable private RowFilter filter;
    private boolean counted;
    private long limit = Long.MAX_VALUE;

    /**
     * @param parallelism of the source; null for that of the statement
     * @param type of the table's physical columns
     */
    LoamTableSource(
            CollectionTable table,
            ScanStart start,
            @Nullable Integer parallelism,
            boolean ignoreParseErrors,
            LookupSettings lookups,
            DataType type) {
        this.table = table;
        this.start = start;
        this.parallelism = parallelism;
        this.ignoreParseErrors = ignoreParseErrors;
        this.lookups = lookups;
        this.selected = table.columns().all();
        this.produced = type;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return start.mode().isUnbounded() ? ChangelogMode.all() : ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        RowConverter<RowData> rows =
                counted ? new CountOfRows(context.createTypeInformation(produced)) : rows(context);
        WarehouseCollection collection = table.open();
        Long tagged = start.tag() == null ? null : table.number(start.lookedUp(), collection);
        CollectionSourceBuilder<RowData> source =
                start.apply(CollectionSource.builder(collection, rows), tagged).limit(limit);
        if (keys != null) {
            source.keys(keys);
        }
        if (filter != null) {
            source.filter(filter);
        }
        if (counted) {
            source.count();
        }
        return SourceProvider.of(source.build(), parallelism);
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        WarehouseCollection collection = table.open();
        KeyLookup lookup =
                new KeyLookup(
                        collection,
                        table.number(start.lookedUp(), collection),
                        lookups,
                        new KeyColumns(table.columns()),
                        LookupKey.of(table, table.columns(), context.getKeys(), selected),
                        rows(context));
        return LookupProviders.of(lookup, lookups);
    }

    @Override
    public VectorSearchRuntimeProvider getSearchRuntimeProvider(VectorSearchContext context) {
        WarehouseCollection.Found found = table.find();
        TableColumn column = NearestProvider.column(table, context.getSearchColumns(), selected);
        String filter = NearestProvider.filter(context.runtimeConfig(), found.info().schema());
        return new NearestProvider(
                new NearestSearch(
                        found.opener(),
                        table.number(start.lookedUp(), found.opener()),
                        lookups,
                        column.name(),
                        ((ColumnRole.Dense) column.role()).dimension(),
                        filter,
                        rows(context),
                        null));
    }

    private RowFromDocument rows(DynamicTableSource.Context context) {
        TypeInformation<RowData> type = context.createTypeInformation(produced);
        return new RowFromDocument(table.columns(), selected, metadata, ignoreParseErrors, type);
    }

    @Override
    public boolean supportsNestedProjection() {
        return false;
    }

    @Override
    public void applyProjection(int[][] projected, DataType type) {
        selected = Arrays.stream(projected).mapToInt(path -> path[0]).toArray();
        produced = type;
    }

    /** All conditions stay, as rows may pass that they do not want. */
    @Override
    public Result applyFilters(List<ResolvedExpression> conditions) {
        if (start.mode().isUnbounded()) {
            return Result.of(List.of(), conditions);
        }
        FilterPlanner planned =
                FilterPlanner.of(table.columns(), table.find().info().schema(), conditions);
        keys = planned.keys().orElse(null);
        filter = planned.filter().orElse(null);
        return Result.of(planned.accepted(), conditions);
    }

    /** The manifest says how many rows there are, and nothing else about all of them. */
    @Override
    public boolean applyAggregates(
            List<int[]> groupingSets, List<AggregateExpression> aggregates, DataType type) {
        boolean grouped = groupingSets.stream().anyMatch(columns -> columns.length > 0);
        boolean all = keys == null && filter == null && limit == Long.MAX_VALUE;
        boolean possible = all && !grouped && !start.mode().isUnbounded();
        if (!possible || aggregates.size() != 1 || !isCountOfRows(aggregates.get(0))) {
            return false;
        }
        counted = true;
        produced = type;
        return true;
    }

    /** By name, as the planner's classes are hidden from connectors. */
    private static boolean isCountOfRows(AggregateExpression aggregate) {
        String function = aggregate.getFunctionDefinition().getClass().getSimpleName();
        return function.equals("Count1AggFunction")
                && aggregate.getArgs().isEmpty()
                && aggregate.getFilterExpression().isEmpty()
                && !aggregate.isDistinct();
    }

    @Override
    public void applyLimit(long most) {
        limit = start.mode().isUnbounded() ? Long.MAX_VALUE : most;
    }

    @Override
    public TableStats reportStatistics() {
        return start.isNewest() && !start.mode().isUnbounded()
                ? new TableStats(table.find().live().liveDocCount())
                : TableStats.UNKNOWN;
    }

    @Override
    public Map<String, DataType> listReadableMetadata() {
        return TableMetadata.types();
    }

    @Override
    public void applyReadableMetadata(List<String> wanted, DataType type) {
        metadata = wanted.stream().map(TableMetadata::of).toList();
        produced = type;
    }

    @Override
    public DynamicTableSource copy() {
        LoamTableSource copy =
                new LoamTableSource(
                        table, start, parallelism, ignoreParseErrors, lookups, produced);
        copy.selected = selected;
        copy.metadata = metadata;
        copy.keys = keys;
        copy.filter = filter;
        copy.counted = counted;
        copy.limit = limit;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Loam " + table;
    }
}
