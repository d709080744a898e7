package io.loam.jobs.crash;

import io.loam.flink.connector.testing.SampleSchema;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.jobs.cli.Topic;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What all runs share: cluster, broker, database, warehouse. Each is a process of its own. */
final class CrashBench implements AutoCloseable {
    static final int PARTITIONS = 3;

    private final Path folder;
    private final FailPointFolder failPoints;
    private final BrokerProcess broker;
    private final DatabaseServer database;
    private final ProcessCluster cluster;
    private final WarehouseOptions options;
    private final Warehouse warehouse;

    CrashBench(Path folder) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.failPoints = new FailPointFolder(folder.resolve("failpoints"));
        this.cluster = new ProcessCluster(folder.resolve("cluster"), failPoints.path());
        this.broker = BrokerProcess.open(folder.resolve("broker"));
        this.database = new DatabaseServer(folder.resolve("database"));
        this.options =
                WarehouseOptions.local(folder.resolve("warehouse"))
                        .withMetastore(database.url(), null, null);
        this.warehouse = Warehouse.openOrCreate(options);
        cluster.awaitReady();
    }

    Path folder() {
        return folder;
    }

    FailPointFolder failPoints() {
        return failPoints;
    }

    String brokers() {
        return broker.bootstrapServers();
    }

    DatabaseServer database() {
        return database;
    }

    ProcessCluster cluster() {
        return cluster;
    }

    WarehouseOptions options() {
        return options;
    }

    Warehouse warehouse() {
        return warehouse;
    }

    /** Makes a collection and its topic. */
    CollectionInfo newCollection(String name) throws IOException, InterruptedException {
        CollectionInfo collection =
                warehouse
                        .metastore()
                        .createCollection(
                                "default", name, SampleSchema.get(), PARTITIONS, "crash-" + name);
        try (Topic topic = new Topic(brokers(), collection)) {
            topic.ensure();
        }
        return collection;
    }

    @Override
    public void close() throws Exception {
        try (BrokerProcess closingBroker = broker;
                DatabaseServer closingDatabase = database;
                ProcessCluster closingCluster = cluster;
                Warehouse closingWarehouse = warehouse) {
            // Closed in the opposite order.
        }
    }
}
