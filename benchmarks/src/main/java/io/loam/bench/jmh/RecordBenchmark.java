package io.loam.bench.jmh;

import io.loam.bench.input.Entry;
import io.loam.bench.input.Generator;
import io.loam.bench.input.InputSpec;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/** A record of the log: 500 bytes of JSON and a vector of 128 dimensions, or none. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RecordBenchmark {
    @Param({"0", "1"})
    int vectors;

    private Operation operation;
    private byte[] key;
    private byte[] value;
    private byte[] json;
    private JsonObject source;

    @Setup
    public void generate() {
        Entry entry = new Generator(InputSpec.of(42, 10).withVectors(vectors, 128)).next();
        operation = entry.operation();
        key = PrimaryKey.ofString(entry.key()).canonical();
        value = RecordCodec.encode(operation);
        json = entry.json();
        source = Json.parseObject(json);
    }

    @Benchmark
    public byte[] encode() {
        return RecordCodec.encode(operation);
    }

    @Benchmark
    public Operation decode() {
        return RecordCodec.decode(key, value);
    }

    @Benchmark
    public JsonObject parseJson() {
        return Json.parseObject(json);
    }

    @Benchmark
    public byte[] printJson() {
        return Json.print(source);
    }
}
