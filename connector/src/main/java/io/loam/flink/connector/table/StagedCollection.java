package io.loam.flink.connector.table;

import io.loam.flink.connector.CollectionPublication;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.store.WarehouseOptions;

import org.apache.flink.table.api.TableException;
import org.apache.flink.table.catalog.StagedTable;

import javax.annotation.Nullable;

import java.io.IOException;

/**
 * The collection of a statement that makes and fills a table as one. It is made, without a name,
 * when the statement's job is planned, and gets its name from the job's last task. What remains for
 * Flink to call, in the job manager when the job has ended in whatever way, is to drop it if it has
 * none.
 */
final class StagedCollection implements StagedTable {
    private static final long serialVersionUID = 1L;

    private final WarehouseOptions warehouse;
    private final String namespace;
    private final String name;
    @Nullable private final Long present;
    private final boolean keepsPresent;
    @Nullable private final transient TablePlanner.Planned planned; // not needed once it is made
    @Nullable private CollectionPublication publication;

    /**
     * @param present the collection that has the name; null if none has
     * @param keepsPresent whether that one stays, or one that has the name by then
     */
    StagedCollection(
            WarehouseOptions warehouse,
            String namespace,
            String name,
            @Nullable Long present,
            boolean keepsPresent,
            TablePlanner.Planned planned) {
        this.warehouse = warehouse;
        this.namespace = namespace;
        this.name = name;
        this.present = present;
        this.keepsPresent = keepsPresent;
        this.planned = planned;
    }

    /** Whether the statement has nothing to do, as the table is there and stays. */
    boolean isNeedless() {
        return keepsPresent && present != null;
    }

    /** Makes the collection, for the statement's one job. */
    WarehouseCollection.Found make() {
        if (planned == null || publication != null) {
            throw new IllegalStateException("table " + name + " was planned already");
        }
        try {
            WarehouseCollection.Found made =
                    WarehouseCollection.stage(
                            warehouse,
                            namespace,
                            name,
                            planned.first(),
                            planned.collection().partitions());
            publication =
                    new CollectionPublication(
                            made.opener(), name, keepsPresent ? null : present, keepsPresent);
            return made;
        } catch (IOException e) {
            throw new TableException("cannot make table " + name + ": " + e.getMessage(), e);
        }
    }

    /** How the collection that was made gets its name. */
    CollectionPublication publication() {
        if (publication == null) {
            throw new IllegalStateException("table " + name + " is not made");
        }
        return publication;
    }

    /** Nothing to do: it is made already. */
    @Override
    public void begin() {}

    /** The job has given the name, unless it was stopped before its end, or had to yield it. */
    @Override
    public void commit() {
        abort();
    }

    @Override
    public void abort() {
        if (publication != null) {
            publication.discard();
        }
    }
}
