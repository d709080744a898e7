package io.loam.jobs.broker;

import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Main class of the child process: formats its folder once, then runs Kafka in it. It ends when its
 * standard input does, which is when its parent dies, however it dies.
 */
public final class BrokerMain {
    /** Held until the process ends; a lock dies with its channel, and that with the last use. */
    @SuppressWarnings("unused")
    private static FileLock runningLock;

    private BrokerMain() {}

    /** Arguments: data folder, port of the broker, port of the controller. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Path properties = folder.resolve("server.properties");
        Files.createDirectories(folder);
        Thread watch = new Thread(BrokerMain::exitAtEndOfInput, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        waitForPredecessor(folder);
        Files.write(properties, properties(folder, args[1], args[2]));
        format(folder, properties);
        Kafka.main(new String[] {properties.toString()});
    }

    /** Once begun it is ended, even if the parent dies meanwhile: see {@link #exit}. */
    private static synchronized void format(Path folder, Path properties) {
        if (Files.exists(folder.resolve("log/meta.properties"))) {
            return;
        }
        int code =
                StorageTool.execute(
                        new String[] {
                            "format",
                            "-t",
                            Uuid.randomUuid().toString(),
                            "-c",
                            properties.toString(),
                            "--ignore-formatted"
                        },
                        System.out);
        if (code != 0) {
            System.exit(code);
        }
    }

    /**
     * A broker whose parent was killed shuts down in its own time, and the parent's lock is free
     * before; this lock is held by the broker itself, for as long as it runs.
     */
    private static void waitForPredecessor(Path folder) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        folder.resolve("server.lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        runningLock = channel.lock();
    }

    private static void exitAtEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // The parent writes nothing; only the end of the stream means something.
            }
        } catch (IOException e) {
            System.err.println("standard input broke: " + e.getMessage());
        }
        exit();
    }

    private static synchronized void exit() {
        System.exit(0);
    }

    private static List<String> properties(Path folder, String port, String controllerPort) {
        return List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "listeners=PLAINTEXT://127.0.0.1:"
                        + port
                        + ",CONTROLLER://127.0.0.1:"
                        + controllerPort,
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
                "controller.listener.names=CONTROLLER",
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "log.dirs=" + folder.resolve("log"),
                "log.retention.ms=-1",
                "message.max.bytes=20971520",
                "replica.fetch.max.bytes=20971520",
                "auto.create.topics.enable=false",
                "offsets.topic.replication.factor=1",
                "offsets.topic.num.partitions=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "transaction.state.log.num.partitions=1",
                "share.coordinator.state.topic.replication.factor=1",
                "share.coordinator.state.topic.min.isr=1",
                "share.coordinator.state.topic.num.partitions=1",
                "group.initial.rebalance.delay.ms=0");
    }
}
