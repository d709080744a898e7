package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** A command that reads one collection. */
abstract class CollectionCommand implements Callable<Integer> {
    @Mixin WarehouseArguments warehouse;

    @Option(names = "--json", description = "Print JSON, one object a line, for programs.")
    boolean json;

    @Parameters(index = "0", paramLabel = "<collection>", description = "Name of the collection.")
    String collection;

    @Spec CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        try (Warehouse opened = warehouse.open();
                CollectionHandle handle = warehouse.collection(opened, collection)) {
            int code = run(handle);
            out().flush();
            return code;
        }
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Does the work; returns the exit code. */
    abstract int run(CollectionHandle handle) throws Exception;
}
