package io.loam.flink.connector;

import io.loam.codec.key.PrimaryKey;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.verify.Verifier;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.testframe.external.ExternalSystemDataReader;
import org.apache.flink.connector.testframe.external.sink.DataStreamSinkV2ExternalContext;
import org.apache.flink.connector.testframe.external.sink.TestingSinkSettings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A collection of its own for each test of Flink's suite, verified when the test is over. */
final class SinkSuiteContext implements DataStreamSinkV2ExternalContext<String> {
    private static final int DOCUMENTS = 60;
    private static final String COLLECTION = "docs";

    private final WarehouseOptions options;

    SinkSuiteContext() {
        try {
            options = WarehouseOptions.local(Files.createTempDirectory("sink-suite-"));
            try (Warehouse warehouse = Warehouse.openOrCreate(options)) {
                warehouse
                        .metastore()
                        .createCollection("default", COLLECTION, SampleSchema.get(), 4, "unused");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Sink<String> createSink(TestingSinkSettings settings) {
        try {
            return new TextSink(
                    CollectionSink.builder()
                            .warehouse(options)
                            .collection("default", COLLECTION)
                            .direct()
                            .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<String> generateTestData(TestingSinkSettings settings, long seed) {
        // The suite's seed is another one in each run.
        return Stream.generate(new Random(Long.getLong("loam.seed", 20_261_130L))::nextLong)
                .map(Long::toHexString)
                .distinct()
                .limit(DOCUMENTS)
                .toList();
    }

    @Override
    public ExternalSystemDataReader<String> createSinkDataReader(TestingSinkSettings settings) {
        return new NewRows(options);
    }

    @Override
    public TypeInformation<String> getProducedType() {
        return Types.STRING;
    }

    @Override
    public List<URL> getConnectorJarPaths() {
        return List.of();
    }

    @Override
    public void close() throws Exception {
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle collection = warehouse.open("default", COLLECTION)) {
            assertThat(Verifier.verify(collection).violations()).isEmpty();
        }
    }

    /** Rows that were not there when it was last asked. */
    private static final class NewRows implements ExternalSystemDataReader<String> {
        private final WarehouseOptions options;
        private final Set<Long> seen = new HashSet<>();

        NewRows(WarehouseOptions options) {
            this.options = options;
        }

        @Override
        public List<String> poll(Duration timeout) {
            try (Warehouse warehouse = Warehouse.open(options);
                    CollectionHandle collection = warehouse.open("default", COLLECTION)) {
                List<String> rows = read(collection);
                if (rows.isEmpty()) {
                    Thread.sleep(timeout.toMillis() / 20);
                }
                return rows;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        private List<String> read(CollectionHandle collection) throws IOException {
            long version = collection.live().manifest().lanceVersion();
            if (version == 0) {
                return List.of();
            }
            List<String> rows = new ArrayList<>();
            try (RowSnapshot snapshot = collection.rows().open(version, collection.schema());
                    RowCursor cursor = snapshot.scan(Projection.SOURCES, 0, 1)) {
                for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                    if (seen.add(row.rowId())) {
                        rows.add(text(row));
                    }
                }
            }
            return rows;
        }

        /** The text, if key and document agree on it. */
        private static String text(StoredRow row) {
            String source = new String(row.source(), StandardCharsets.UTF_8);
            String text = source.substring("{\"title\":\"".length(), source.length() - 2);
            assertThat(row.key()).isEqualTo(PrimaryKey.ofString(text));
            return text;
        }

        @Override
        public void close() {}
    }
}
