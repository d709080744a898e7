package io.loam.bench.store;

import io.loam.bench.Arm;
import io.loam.bench.job.Documents;
import io.loam.bench.job.InsertArm;
import io.loam.s3.testing.S3ProxyServer;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.WireProxy;
import io.loam.s3.testing.WireRequest;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Requests to an S3 server when a collection of one commit is opened and searched, as a proxy in
 * front of the server counts them.
 */
final class ColdS3Arm implements Arm {
    static final String DOCUMENTS = "documents";
    static final String SEED = "seed";
    private static final String BUCKET = "bench";
    private static final int BEST = 10;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Path directory = Path.of(args.get(DIRECTORY));
        Map<String, Double> values = new TreeMap<>();
        // Closed by all means: it is a process of its own.
        try (S3Server server = new S3ProxyServer(directory.resolve("server"))) {
            server.createBucket(BUCKET);
            WarehouseOptions direct =
                    new WarehouseOptions("s3://" + BUCKET + "/warehouse", null, null, null)
                            .withProperties(server.properties())
                            .withMetastore(
                                    "jdbc:sqlite:" + directory.resolve("metastore.db"), null, null);
            InsertArm.insert(
                    direct,
                    directory,
                    Long.parseLong(args.get(SEED)),
                    Long.parseLong(args.get(DOCUMENTS)));
            search(direct, server, Projection.KEYS, "keys", values);
            search(direct, server, Projection.SOURCES, "documents", values);
        }
        return values;
    }

    private static void search(
            WarehouseOptions direct,
            S3Server server,
            Projection projection,
            String name,
            Map<String, Double> values)
            throws Exception {
        try (WireProxy wire = new WireProxy(server.endpoint())) {
            WarehouseOptions watched = direct.withProperties(S3Server.properties(wire.endpoint()));
            try (Warehouse warehouse = Warehouse.open(watched);
                    CollectionHandle handle = warehouse.open("default", "docs");
                    CollectionReader reader = CollectionReader.openAsOfHandle(handle)) {
                String text = Documents.word(0) + " " + Documents.word(1);
                reader.search(QueryParser.parse(text, handle.schema()), BEST, projection);
                values.put("splits", (double) reader.manifest().splits().size());
            }
            List<WireRequest> requests = wire.requests();
            values.put("requests, " + name, (double) requests.size());
            values.put("one after the other, " + name, (double) WireRequest.roundTrips(requests));
            requests.forEach(System.out::println); // the log of the arm says which
        }
    }
}
