package io.loam.bench.ingest;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A system that Flink writes into and that can be read.
 *
 * @param <T> what its sink takes
 */
interface SystemUnderTest<T> extends AutoCloseable {
    /** Argument: which one. */
    String ARGUMENT = "system";

    String LOAM = "loam";
    String PAIMON = "paimon";
    String ICEBERG = "iceberg";

    static SystemUnderTest<?> open(Path folder, Arguments arguments) throws Exception {
        String name = String.valueOf(arguments.values().get(ARGUMENT));
        return switch (name) {
            case LOAM -> new LoamSystem(folder, arguments);
            case PAIMON -> new PaimonSystem(folder);
            case ICEBERG -> new IcebergSystem(folder, arguments);
            default -> throw new IllegalArgumentException("there is no system \"" + name + "\"");
        };
    }

    /** Makes the empty table. */
    void create() throws Exception;

    /** Makes an element of a record of input; runs in the source's task. */
    InputNumbers.Reader<T> reader();

    TypeInformation<T> type();

    /** Ends a stream in the system's sink. */
    void attach(DataStream<T> elements, int parallelism) throws Exception;

    /** The checkpoint of the newest commit that a reader would see. */
    OptionalLong newestCheckpoint() throws Exception;

    /** Reads key and source of every row of the newest version in this thread. */
    ReadRows read() throws Exception;

    /**
     * Runs what is due of side jobs, with {@code directory} to work in; nothing if there are none.
     */
    default void maintain(Path directory) throws Exception {}

    /** What a read came to: systems that hold the same must agree. */
    record ReadRows(long rows, long bytes) {}

    @Override
    void close() throws Exception;
}
