package io.loam.flink.connector.table;

import io.loam.flink.connector.Changes;
import io.loam.flink.connector.CollectionSink;
import io.loam.flink.connector.CollectionSinkBuilder;
import io.loam.flink.connector.CollectionSinkOptions;
import io.loam.flink.connector.ImplicitStreamSink;
import io.loam.flink.connector.OnError;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.flink.connector.table.RowToChange.Existing;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.commit.CommitMode;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.StagedTable;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.RowLevelModificationScanContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate;
import org.apache.flink.table.connector.sink.abilities.SupportsStaging;
import org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting;
import org.apache.flink.table.connector.sink.abilities.SupportsTruncate;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Writes a changelog into a collection, or appends it to the collection's implicit stream. A
 * statement that names some of the columns patches documents; {@code UPDATE} patches what it sets,
 * {@code DELETE} needs no more than keys, {@code TRUNCATE} no job.
 */
final class LoamTableSink
        implements DynamicTableSink,
                SupportsTargetColumnWriting,
                SupportsRowLevelDelete,
                SupportsRowLevelUpdate,
                SupportsStaging,
                SupportsTruncate {
    private final CollectionTable table;
    private final SinkSettings settings;

    /** All columns, of which rows of INSERT have the physical ones. */
    private final ResolvedSchema schema;

    /** Makes the table itself; null outside of a catalog that can. */
    @Nullable private final Function<StagingPurpose, StagedCollection> staging;

    /** What the rows have: all columns of the table, or for DELETE and UPDATE some of them. */
    private TableColumns columns;

    /** Positions among these that are written. */
    private int[] target;

    private Existing existing = Existing.REPLACED;

    /** What a statement writes that makes the table, too; null of all others. */
    @Nullable private StagedCollection staged;

    /**
     * @param staging makes the table itself; null outside of a catalog that can
     */
    LoamTableSink(
            CollectionTable table,
            SinkSettings settings,
            ResolvedSchema schema,
            @Nullable Function<StagingPurpose, StagedCollection> staging) {
        this.table = table;
        this.settings = settings;
        this.schema = schema;
        this.staging = staging;
        this.columns = table.columns();
        this.target = columns.all();
    }

    /** A document is replaced by its key, so what an update replaces need not come. */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
        return requested.containsOnly(RowKind.INSERT)
                ? ChangelogMode.insertOnly()
                : ChangelogMode.upsert();
    }

    @Override
    public boolean applyTargetColumns(int[][] targetColumns) {
        if (Arrays.stream(targetColumns).anyMatch(path -> path.length != 1)) {
            return false; // a field inside a row: the planner fills the rest with nulls
        }
        int[] physical = ColumnPlanner.physical(schema);
        target = Arrays.stream(targetColumns).mapToInt(path -> physical[path[0]]).toArray();
        existing = target.length == columns.size() ? Existing.REPLACED : Existing.PATCHED;
        return true;
    }

    @Override
    public RowLevelDeleteInfo applyRowLevelDelete(
            @Nullable RowLevelModificationScanContext context) {
        List<Column> required = require(columns.key());
        return new RowLevelDeleteInfo() {
            @Override
            public Optional<List<Column>> requiredColumns() {
                return Optional.of(required);
            }
        };
    }

    @Override
    public RowLevelUpdateInfo applyRowLevelUpdate(
            List<Column> updated, @Nullable RowLevelModificationScanContext context) {
        List<Integer> positions = new ArrayList<>(table.columns().key());
        for (Column column : updated) {
            int position = table.columns().indexOf(column.getName());
            if (table.columns().isKey(position)) {
                throw new ValidationException(
                        "column "
                                + column.getName()
                                + " is part of the key, which UPDATE cannot change: delete the row"
                                + " and insert another");
            }
            positions.add(position);
        }
        List<Column> required = require(positions);
        existing = Existing.PATCHED_ONLY;
        return new RowLevelUpdateInfo() {
            @Override
            public Optional<List<Column>> requiredColumns() {
                return Optional.of(required);
            }
        };
    }

    /** The rows will have these columns only. */
    private List<Column> require(List<Integer> positions) {
        columns = table.columns().select(positions);
        target = columns.all();
        List<Column> physical = schema.getColumns().stream().filter(Column::isPhysical).toList();
        return positions.stream().map(physical::get).toList();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        boolean fail = settings.collection().get(CollectionSinkOptions.ON_ERROR) == OnError.FAIL;
        RowToChange changes = new RowToChange(columns, existing, target, fail);
        return new DataStreamSinkProvider() {
            @Override
            public DataStreamSink<?> consumeDataStream(
                    ProviderContext provider, DataStream<RowData> rows) {
                return write(provider, rows, changes);
            }

            @Override
            public Optional<Integer> getParallelism() {
                return Optional.ofNullable(settings.parallelism());
            }
        };
    }

    private DataStreamSink<?> write(
            ProviderContext provider, DataStream<RowData> rows, RowToChange changes) {
        return staged != null
                ? writeStaged(staged, provider, rows, changes)
                : write(
                        Explaining.isGoingOn() ? table.explained(staging != null) : table.ensure(),
                        provider,
                        rows,
                        changes);
    }

    private DataStreamSink<?> write(
            WarehouseCollection.Found found,
            ProviderContext provider,
            DataStream<RowData> rows,
            RowToChange changes) {
        DataStream<CollectionElement> elements =
                rows.flatMap(changes)
                        .returns(Changes.TYPE)
                        .name("Changes of " + table.name())
                        .setParallelism(rows.getParallelism()); // keeps the order of each key
        try {
            DataStreamSink<CollectionElement> sink =
                    settings.mode() == CommitMode.DIRECT
                            ? commits(found).addTo(elements)
                            : append(provider, elements, found);
            return settings.parallelism() == null
                    ? sink
                    : sink.setParallelism(settings.parallelism());
        } catch (IOException e) {
            throw new TableException("cannot write " + table + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ValidationException("cannot write " + table + ": " + e.getMessage(), e);
        }
    }

    private CollectionSink commits(WarehouseCollection.Found found) throws IOException {
        CollectionSinkBuilder sink =
                CollectionSink.builder().collection(found).options(settings.collection()).direct();
        return (staged == null ? sink : sink.publication(staged.publication())).build();
    }

    private DataStreamSink<CollectionElement> append(
            ProviderContext provider,
            DataStream<CollectionElement> elements,
            WarehouseCollection.Found found)
            throws IOException {
        Optional<String> contradiction =
                CommitMode.STREAM.contradiction(table.toString(), found.live());
        if (contradiction.isPresent()) {
            throw new IllegalArgumentException(contradiction.get());
        }
        DataStreamSink<CollectionElement> sink =
                elements.sinkTo(
                                ImplicitStreamSink.of(
                                        found.info(),
                                        settings.kafka(),
                                        settings.guarantee(),
                                        settings.transactionalIdPrefix()))
                        .name("Stream of " + table.name());
        provider.generateUid("loam-stream").ifPresent(sink::uid);
        return sink;
    }

    /** Flink asks this of an atomic CREATE or REPLACE TABLE AS, and of nothing else. */
    @Override
    public StagedTable applyStaging(StagingContext context) {
        try {
            if (settings.mode() != CommitMode.DIRECT) {
                throw new ValidationException("'sink.mode' = 'stream' writes no collection itself");
            }
            if (staging == null) {
                throw new ValidationException("that takes a catalog of 'type' = 'loam'");
            }
            staged = staging.apply(context.getStagingPurpose());
            return staged;
        } catch (ValidationException e) {
            throw notAtOnce(e.getMessage(), e);
        }
    }

    private ValidationException notAtOnce(String why, @Nullable Throwable cause) {
        return new ValidationException(
                "option "
                        + TableConfigOptions.TABLE_RTAS_CTAS_ATOMICITY_ENABLED.key()
                        + ": "
                        + table
                        + " cannot be made and filled as one: "
                        + why,
                cause);
    }

    /** Writes out of sight; the job's last task makes it seen. */
    private DataStreamSink<?> writeStaged(
            StagedCollection target,
            ProviderContext provider,
            DataStream<RowData> rows,
            RowToChange changes) {
        if (!CollectionSink.isBatch(rows)) {
            throw notAtOnce(
                    "only a job in batch execution has an end to be seen from; SET"
                            + " 'execution.runtime-mode' = 'batch', or this option to 'false'",
                    null);
        }
        if (target.isNeedless()) {
            return rows.getExecutionEnvironment()
                    .fromSequence(1, 1) // a job wants something to do
                    .sinkTo(new DiscardingSink<>())
                    .name("Nothing, as " + table.name() + " is there");
        }
        WarehouseCollection.Found found = target.make();
        try {
            return write(found, provider, rows, changes);
        } catch (RuntimeException e) {
            target.abort(); // there is no job that would do it
            throw e;
        }
    }

    @Override
    public void executeTruncation() {
        table.truncate(settings);
    }

    @Override
    public DynamicTableSink copy() {
        LoamTableSink copy = new LoamTableSink(table, settings, schema, staging);
        copy.staged = staged;
        copy.columns = columns;
        copy.target = target;
        copy.existing = existing;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Loam " + table;
    }
}
