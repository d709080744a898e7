package io.loam.jobs.cli;

import io.loam.jobs.cluster.ClusterFolders;
import io.loam.jobs.cluster.ClusterSettings;
import io.loam.jobs.cluster.ClusterStatus;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import javax.annotation.Nullable;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** Starts what does not run. */
@Command(
        name = "start",
        description =
                "Start a job manager, task managers and a SQL gateway, as far as they do not run"
                        + " yet; wait until they take jobs and queries.",
        mixinStandardHelpOptions = true)
final class ClusterStartCommand implements Callable<Integer> {
    private static final int MAX_COUNT = 1000;
    private static final int MAX_PORT = 65535;

    @Mixin ClusterArguments where;

    @Option(
            names = "--conf-dir",
            paramLabel = "<dir>",
            description = "Folder of config.yaml (default: flink-conf).")
    Path conf;

    @Option(
            names = "--taskmanagers",
            paramLabel = "<n>",
            description = "Task managers (default 2).")
    Integer taskManagers;

    @Option(
            names = "--slots",
            paramLabel = "<n>",
            description = "Slots of each (default: config.yaml, 2).")
    Integer slots;

    @Option(
            names = "--rest-port",
            paramLabel = "<port>",
            description = "Flink's REST interface and pages (default: config.yaml, 8081).")
    Integer restPort;

    @Option(
            names = "--rpc-port",
            paramLabel = "<port>",
            description = "Where task managers find the job manager (default: config.yaml, 6123).")
    Integer rpcPort;

    @Option(
            names = "--gateway-port",
            paramLabel = "<port>",
            description = "The SQL gateway (default: config.yaml, 8083). 0 takes a free port.")
    Integer gatewayPort;

    @Option(
            names = "--flink",
            paramLabel = "<key=value>",
            description = "An option of Flink; may be repeated.")
    Map<String, String> flink = new TreeMap<>();

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        check("--taskmanagers", taskManagers, 1, MAX_COUNT);
        check("--slots", slots, 1, MAX_COUNT);
        check("--rest-port", restPort, 0, MAX_PORT);
        check("--rpc-port", rpcPort, 0, MAX_PORT);
        check("--gateway-port", gatewayPort, 0, MAX_PORT);
        ClusterFolders folders = conf == null ? where.folders() : where.folders().withConf(conf);
        ClusterSettings settings =
                new ClusterSettings(taskManagers, slots, restPort, rpcPort, gatewayPort, flink);
        PrintWriter out = spec.commandLine().getOut();
        ClusterStatus status = where.cluster(folders, out).start(settings);
        new ClusterText(status).print(out, where.json);
        return Loam.OK;
    }

    private static void check(String name, @Nullable Integer value, int least, int most) {
        if (value != null && (value < least || value > most)) {
            throw new CliException(name + " must be " + least + " to " + most + ", it is " + value);
        }
    }
}
