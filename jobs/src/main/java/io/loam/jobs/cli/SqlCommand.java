package io.loam.jobs.cli;

import io.loam.jobs.cluster.ClusterFolders;
import io.loam.jobs.cluster.SqlShell;
import io.loam.store.WarehouseOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import javax.annotation.Nullable;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** Flink SQL on a warehouse. */
@Command(
        name = "sql",
        description =
                "Open Flink's SQL client on the warehouse, with a small cluster of its own: the"
                        + " catalog is loam, its databases are namespaces, its tables collections.",
        mixinStandardHelpOptions = true)
final class SqlCommand implements Callable<Integer> {
    @Mixin WarehouseArguments warehouse;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "<script>",
            description = "Run the statements of a file instead of those that are typed.")
    @Nullable
    Path file;

    @Option(
            names = "--flink",
            paramLabel = "<key=value>",
            description =
                    "An option of Flink, such as execution.runtime-mode=streaming; may be"
                            + " repeated.")
    Map<String, String> flink = new TreeMap<>();

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (file != null && !Files.isReadable(file)) {
            throw new CliException("there is no file " + file + " to read statements from");
        }
        warehouse.create().close();
        PrintWriter err = spec.commandLine().getErr();
        ClusterFolders folders = ClusterFolders.of(warehouse.beside("sql"));
        try (SqlShell shell = new SqlShell(folders, flink)) {
            err.println("starting Flink SQL on " + warehouse.options().warehouse() + " ...");
            err.flush();
            shell.start();
            if (shell.run(catalog(), file)) {
                return Loam.OK;
            }
            if (file == null) {
                return Loam.FAILED;
            }
            // Flink tells "MiniCluster is not yet running" of a job that failed on such a cluster.
            throw new CliException(
                    "a statement of "
                            + file
                            + " failed; the causes of what is said above are in "
                            + shell.log());
        }
    }

    /** The statements that make and use the warehouse's catalog. */
    List<String> catalog() {
        WarehouseOptions options = warehouse.options();
        Map<String, String> with = new LinkedHashMap<>();
        with.put("type", "loam");
        with.put("warehouse", options.warehouse());
        with.put("default-database", warehouse.namespace);
        putIfGiven(with, "metastore.url", options.metastoreUrl());
        putIfGiven(with, "metastore.user", options.metastoreUser());
        putIfGiven(with, "metastore.password", options.metastorePassword());
        with.putAll(options.properties());
        return List.of(
                with.entrySet().stream()
                        .map(option -> text(option.getKey()) + " = " + text(option.getValue()))
                        .collect(Collectors.joining(", ", "CREATE CATALOG loam WITH (", ")")),
                "USE CATALOG loam");
    }

    private static void putIfGiven(
            Map<String, String> with, String option, @Nullable String value) {
        if (value != null) {
            with.put(option, value);
        }
    }

    private static String text(String value) {
        return "'" + value.replace("'", "''") + "'";
    }
}
