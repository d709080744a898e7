package io.loam.flink.connector.table;

import io.loam.flink.connector.source.CollectionSource;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

import javax.annotation.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Reads a version of a collection: columns wanted, as many rows as wanted, or those of keys. */
final class LoamTableSource
        implements ScanTableSource,
                LookupTableSource,
                SupportsProjectionPushDown,
                SupportsLimitPushDown,
                SupportsReadingMetadata {
    private final CollectionTable table;
    @Nullable private final Long version;
    private final boolean ignoreParseErrors;
    private final LookupSettings lookups;
    private int[] selected;
    private List<TableMetadata> metadata = List.of();
    private DataType produced;
    private long limit = Long.MAX_VALUE;

    /**
     * @param version to read; null for the newest
     * @param type of the table's physical columns
     */
    LoamTableSource(
            CollectionTable table,
            @Nullable Long version,
            boolean ignoreParseErrors,
            LookupSettings lookups,
            DataType type) {
        this.table = table;
        this.version = version;
        this.ignoreParseErrors = ignoreParseErrors;
        this.lookups = lookups;
        this.selected = table.columns().all();
        this.produced = type;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        return SourceProvider.of(
                new CollectionSource<>(table.open(), rows(context), version, limit));
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        KeyLookup lookup =
                new KeyLookup(
                        table.open(),
                        version,
                        lookups,
                        new KeyColumns(table.columns()),
                        LookupKey.of(table, table.columns(), context.getKeys(), selected),
                        rows(context));
        return LookupProviders.of(lookup, lookups);
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

    @Override
    public void applyLimit(long most) {
        limit = most;
    }

    @Override
    public Map<String, DataType> listReadableMetadata() {
        return TableMetadata.types();
    }

    @Override
    public void applyReadableMetadata(List<String> keys, DataType type) {
        metadata = keys.stream().map(TableMetadata::of).toList();
        produced = type;
    }

    @Override
    public DynamicTableSource copy() {
        LoamTableSource copy =
                new LoamTableSource(table, version, ignoreParseErrors, lookups, produced);
        copy.selected = selected;
        copy.metadata = metadata;
        copy.limit = limit;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Loam " + table;
    }
}
