package io.loam.jobs.cli;

import io.loam.flink.connector.maintenance.KafkaStreamLog;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.store.metastore.CollectionInfo;

import org.apache.kafka.clients.CommonClientConfigs;
import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Map;

/** Where the stream is: a Kafka cluster, or a broker embedded beside the warehouse. */
final class BrokerArguments {
    @Option(
            names = "--brokers",
            paramLabel = "<host:port,...>",
            defaultValue = "${env:LOAM_BROKERS:-}",
            description =
                    "Kafka bootstrap servers (LOAM_BROKERS); default: a broker of our own, whose data"
                            + " lies in kafka/ beside the warehouse, or in .loam/.")
    String brokers;

    /** Brokers to talk to; closing ends the embedded one if this process started it. */
    record Connection(String bootstrapServers, @Nullable BrokerProcess embedded)
            implements AutoCloseable {
        /** The stream of a collection, as trimming and erasures see it. */
        KafkaStreamLog log(CollectionInfo collection) throws IOException {
            return new KafkaStreamLog(
                    Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers),
                    collection);
        }

        @Override
        public void close() throws IOException {
            if (embedded != null) {
                embedded.close();
            }
        }
    }

    boolean external() {
        return !brokers.isEmpty();
    }

    Connection connect(WarehouseArguments warehouse) throws IOException, InterruptedException {
        if (external()) {
            return new Connection(brokers, null);
        }
        BrokerProcess broker = BrokerProcess.open(warehouse.beside("kafka"));
        return new Connection(broker.bootstrapServers(), broker);
    }
}
