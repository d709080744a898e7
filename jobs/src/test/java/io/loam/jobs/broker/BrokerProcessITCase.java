package io.loam.jobs.broker;

import io.loam.jobs.FreePort;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** A port that somebody else takes before the broker listens there. */
class BrokerProcessITCase {
    @TempDir Path folder;

    @Test
    void aPortThatIsLostIsReplaced() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // The controller's: what listens at the other one is taken for the broker.
            Iterator<Integer> ports =
                    List.of(FreePort.find(), taken.getLocalPort(), FreePort.find(), FreePort.find())
                            .iterator();
            try (BrokerProcess broker = BrokerProcess.open(folder, ports::next)) {
                assertThat(ports).as("ports that were not needed").isExhausted();
                Map<String, Object> address =
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                broker.bootstrapServers());
                try (Admin admin = Admin.create(address)) {
                    assertThat(admin.describeCluster().nodes().get()).hasSize(1);
                }
            }
        }
    }
}
