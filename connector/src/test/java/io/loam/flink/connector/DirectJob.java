package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitMode;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import java.nio.file.Path;

/** A job that plays a script into a collection in direct mode. */
final class DirectJob extends StreamJob {
    private final String script;

    DirectJob(WarehouseOptions warehouse, Path directory, String script) {
        super(warehouse, directory);
        this.script = script;
        parallelism(1, 3);
        setSink(CollectionSinkOptions.MODE, CommitMode.DIRECT);
    }

    @Override
    DataStream<CollectionElement> elements(StreamExecutionEnvironment env) {
        String name = script;
        return env.fromSource(
                        new ScriptSource(script, isBounded()),
                        WatermarkStrategy.noWatermarks(),
                        "script")
                .setParallelism(1)
                .setMaxParallelism(1) // whatever the scheduler makes of the rest
                .uid("script")
                .map(at -> Changes.of(Script.play(name, at)))
                .returns(Changes.TYPE)
                .setParallelism(1)
                .setMaxParallelism(1);
    }
}
