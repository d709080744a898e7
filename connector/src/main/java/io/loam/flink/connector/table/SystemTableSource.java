package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

import java.io.IOException;
import java.util.List;

/**
 * A system table as it is when a statement is planned: its rows, which are few, go with the job.
 *
 * @param collection database and name
 * @param version to read, of a table that tells of one
 */
record SystemTableSource(
        SystemTable table, WarehouseOptions warehouse, ObjectPath collection, ReadVersion version)
        implements ScanTableSource {
    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        List<RowData> rows = rows();
        TypeInformation<RowData> type = context.createTypeInformation(table.rows());
        return new DataStreamScanProvider() {
            @Override
            public DataStream<RowData> produceDataStream(
                    ProviderContext provider, StreamExecutionEnvironment environment) {
                // Flink has no source of no elements.
                return rows.isEmpty()
                        ? environment.fromData(List.of(none()), type).filter(row -> false)
                        : environment.fromData(rows, type);
            }

            @Override
            public boolean isBounded() {
                return true;
            }
        };
    }

    private RowData none() {
        return new GenericRowData(table.rows().getChildren().size());
    }

    private List<RowData> rows() {
        try (Warehouse opened = Warehouse.open(warehouse);
                CollectionHandle handle =
                        opened.open(collection.getDatabaseName(), collection.getObjectName())) {
            return SystemRows.of(table, handle, version);
        } catch (IOException e) {
            throw new TableException("cannot read " + asSummaryString() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public DynamicTableSource copy() {
        return this;
    }

    @Override
    public String asSummaryString() {
        return table.suffix() + " of table " + collection;
    }
}
