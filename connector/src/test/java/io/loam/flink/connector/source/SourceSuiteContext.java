package io.loam.flink.connector.source;

import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;
import org.apache.flink.types.RowKind;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A collection of its own for each test of Flink's suite. One of the suite's splits is all that one
 * writer writes, in order: a data file, or of changes a share, so that keys are chosen by share.
 * The suite reads changes with 1, 2 and 4 subtasks.
 */
final class SourceSuiteContext implements DataStreamSourceExternalContext<String> {
    private static final long SEED = Long.getLong("loam.seed", 20_261_130L);
    private static final int RECORDS = 50;
    private static final int MOST_SHARES = 4;

    private final ChangingCollection collection;
    private final Random random = new Random(SEED);

    SourceSuiteContext() {
        try {
            Path directory = Files.createTempDirectory("source-suite-");
            collection = new ChangingCollection(directory, SEED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Source<String, ?, ?> createSource(TestingSourceSettings settings) {
        CollectionSourceBuilder<String> source =
                CollectionSource.builder(collection.opener(), new Keys());
        return settings.getBoundedness() == Boundedness.BOUNDED
                ? source.build()
                : source.mode(ScanMode.FROM_VERSION)
                        .version(0)
                        .discoveryInterval(Duration.ofMillis(20))
                        .build();
    }

    @Override
    public ExternalSystemSplitDataWriter<String> createSourceSplitDataWriter(
            TestingSourceSettings settings) {
        return new ExternalSystemSplitDataWriter<>() {
            @Override
            public void writeRecords(List<String> records) {
                records.forEach(collection::upsert);
                try {
                    collection.commit(1);
                } catch (Exception e) {
                    throw new IllegalStateException("could not commit", e);
                }
            }

            @Override
            public void close() {}
        };
    }

    /** Sorted, as the writer of the tests writes a unit in the order of its keys. */
    @Override
    public List<String> generateTestData(
            TestingSourceSettings settings, int splitIndex, long seed) {
        // The suite's seed is another one in each run.
        return Stream.generate(random::nextLong)
                .map(Long::toHexString)
                .filter(key -> share(key) == splitIndex % MOST_SHARES)
                .distinct()
                .limit(RECORDS)
                .sorted(Comparator.comparing(PrimaryKey::ofString))
                .toList();
    }

    private static int share(String key) {
        return Partitioner.partitionOf(PrimaryKey.ofString(key), MOST_SHARES);
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
        collection.close();
    }

    /** Keys of rows. */
    private static final class Keys implements RowConverter<String> {
        private static final long serialVersionUID = 1L;

        @Override
        public Projection projection() {
            return Projection.KEYS;
        }

        @Override
        public String convert(RowKind kind, StoredRow row, long version) {
            return (kind == RowKind.INSERT ? "" : kind.shortString()) + row.key().string();
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }
}
