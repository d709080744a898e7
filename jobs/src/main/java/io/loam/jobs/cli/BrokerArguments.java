package io.loam.jobs.cli;

import io.loam.jobs.broker.BrokerProcess;

import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** Where the stream is: a Kafka cluster, or a broker embedded beside the warehouse. */
final class BrokerArguments {
    @Option(
            names = "--brokers",
            paramLabel = "<host:port,...>",
            defaultValue = "${env:LOAM_BROKERS:-}",
            description =
                    "Kafka bootstrap servers (LOAM_BROKERS); default: a broker of our own, whose data"
                            + " lies in kafka/ beside the warehouse.")
    String brokers;

    /** Brokers to talk to; closing ends the embedded one if this process started it. */
    record Connection(String bootstrapServers, @Nullable BrokerProcess embedded)
            implements AutoCloseable {
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

    Connection connect(Path warehouse) throws IOException, InterruptedException {
        if (external()) {
            return new Connection(brokers, null);
        }
        Path folder = warehouse.toAbsolutePath().normalize().resolveSibling("kafka");
        BrokerProcess broker = BrokerProcess.open(folder);
        return new Connection(broker.bootstrapServers(), broker);
    }
}
