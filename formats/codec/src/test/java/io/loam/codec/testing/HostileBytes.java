package io.loam.codec.testing;

import com.sun.management.ThreadMXBean;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * Feeds damaged bytes to decoders. Each input must give a value or a declared exception with a
 * message, in bounded time (of the processor) and with memory in proportion to the input's size; a
 * value must survive being encoded and decoded again. Damage is made from a seed that is printed
 * and replayed with {@code -Dloam.seed=<n>}; an input that breaks the rules is printed as hex.
 */
public final class HostileBytes {
    /** Exception messages and first uses of classes cost something for the shortest input. */
    private static final long FREE_BYTES = 64 << 10;

    private static final long MAX_NANOS = 2_000_000_000L;
    private static final int STACK_BYTES = 512 << 10;
    private static final int MAX_CORPUS = 400;
    private static final int MAX_FAILURES = 3;
    private static final int MAX_HEX = 1 << 10;
    private static final int LARGE_BYTES = 512 << 10;
    private static final int SHORT_LARGE = 10;
    private static final int FULL_LARGE = 150;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final long seed;
    private final List<Result> results = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** What came of one decoder's inputs. */
    record Result(String name, int accepted, int rejected, long maxBytes, double ratio) {}

    private HostileBytes(long seed) {
        this.seed = seed;
    }

    /**
     * Runs every decoder and reports.
     *
     * @param section of the report
     * @param inputs for each decoder
     * @throws AssertionError if a decoder breaks the rules; it names the inputs
     */
    public static void run(String section, List<HostileDecoder<?>> decoders, int inputs) {
        HostileBytes run = check(section, decoders, inputs);
        Campaign.report(section, run.table());
    }

    static HostileBytes check(String section, List<HostileDecoder<?>> decoders, int inputs) {
        long seed = Campaign.seed();
        System.out.println("hostile bytes, " + section + ": -Dloam.seed=" + seed);
        HostileBytes run = new HostileBytes(seed);
        Thread thread = new Thread(null, () -> run.all(decoders, inputs), section, STACK_BYTES);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (!run.failures.isEmpty()) {
            throw new AssertionError(String.join("\n", run.failures));
        }
        return run;
    }

    private void all(List<HostileDecoder<?>> decoders, int inputs) {
        for (HostileDecoder<?> decoder : decoders) {
            try {
                new Run<>(decoder, new Random(seed ^ decoder.name.hashCode())).run(inputs);
            } catch (RuntimeException | Error e) {
                failures.add(decoder.name + ": " + e + ", caused by " + e.getCause());
            }
        }
    }

    private String table() {
        StringBuilder table =
                new StringBuilder(
                        "| decoder | inputs | rejected | accepted | most memory for one input"
                                + " | most memory for each byte of an input of 4 KiB or more |\n"
                                + "|---|---|---|---|---|---|\n");
        long all = 0;
        for (Result result : results) {
            int inputs = result.accepted + result.rejected;
            all += inputs;
            table.append(
                    String.format(
                            Locale.ROOT,
                            "| %s | %,d | %,d | %,d | %,d KiB | %.0f bytes |%n",
                            result.name,
                            inputs,
                            result.rejected,
                            result.accepted,
                            result.maxBytes >> 10,
                            result.ratio));
        }
        return table.append(String.format(Locale.ROOT, "%n%,d inputs in all.", all)).toString();
    }

    /** One decoder's run. */
    private final class Run<T> {
        private static final int RATIO_FROM_BYTES = 4 << 10;

        private final HostileDecoder<T> target;
        private final Random random;
        private final Mutator mutator;
        private final ProtobufMutator protobuf;
        private final List<byte[]> corpus;
        private int failed;
        private int accepted;
        private int rejected;
        private long maxBytes;
        private double ratio;

        Run(HostileDecoder<T> target, Random random) {
            this.target = target;
            this.random = random;
            this.mutator = new Mutator(random, target.words);
            this.protobuf = new ProtobufMutator(random, mutator);
            this.corpus = new ArrayList<>(target.samples);
        }

        void run(int inputs) {
            if (corpus.isEmpty()) {
                throw new IllegalStateException("a decoder needs samples");
            }
            for (byte[] sample : target.samples) {
                try {
                    target.decode.decode(target.frame.apply(sample));
                } catch (Exception e) {
                    throw new IllegalStateException(
                            "a sample is rejected: " + HexFormat.of().formatHex(sample), e);
                }
            }
            for (int i = 0; i < inputs; i++) {
                damaged();
            }
            for (int i = 0; i < Campaign.size(SHORT_LARGE, FULL_LARGE); i++) {
                byte[] large = mutator.inflate(pick(), random.nextInt(LARGE_BYTES));
                attempt(target.frame.apply(large));
                attempt(large);
            }
            results.add(new Result(target.name, accepted, rejected, maxBytes, ratio));
        }

        private void damaged() {
            byte[] sample = pick();
            if (random.nextInt(10) == 0) {
                attempt(mutator.mutate(target.frame.apply(sample), target.frame.apply(pick())));
                return;
            }
            byte[] damaged =
                    target.protobuf && random.nextInt(4) > 0
                            ? protobuf.mutate(sample, pick())
                            : mutator.mutate(sample, pick());
            boolean good = attempt(target.frame.apply(damaged));
            // What is still accepted is damaged further, which leads away from the samples.
            if (good && corpus.size() < MAX_CORPUS && !Arrays.equals(damaged, sample)) {
                corpus.add(damaged);
            }
        }

        private byte[] pick() {
            return corpus.get(random.nextInt(corpus.size()));
        }

        private boolean attempt(byte[] input) {
            boolean good = false;
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            T value = null;
            Throwable thrown = null;
            try {
                value = target.decode.decode(input);
            } catch (Throwable e) {
                thrown = e;
            }
            long nanos = THREADS.getCurrentThreadCpuTime() - start;
            allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
            if (thrown != null) {
                rejected++;
                checkException(thrown, input);
            } else if (value == null) {
                fail("gives null", input, null);
            } else {
                accepted++;
                good = true;
                checkValue(value, input);
            }
            if (nanos > MAX_NANOS || allocated > limit(input)) {
                checkAgain(input);
            } else {
                count(allocated, input);
            }
            return good;
        }

        private long limit(byte[] input) {
            return FREE_BYTES + (long) target.bytesPerByte * input.length;
        }

        private void count(long allocated, byte[] input) {
            maxBytes = Math.max(maxBytes, allocated);
            if (input.length >= RATIO_FROM_BYTES) {
                ratio = Math.max(ratio, (double) allocated / input.length);
            }
        }

        /** The first time may have loaded classes, or the machine was busy. */
        private void checkAgain(byte[] input) {
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            try {
                target.decode.decode(input);
            } catch (Throwable e) {
                // Judged the first time.
            }
            long nanos = THREADS.getCurrentThreadCpuTime() - start;
            allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
            if (nanos > MAX_NANOS) {
                fail("takes " + nanos / 1_000_000 + " ms", input, null);
            }
            if (allocated > limit(input)) {
                fail("allocates " + allocated + " bytes", input, null);
            }
            count(allocated, input);
        }

        private void checkException(Throwable thrown, byte[] input) {
            if (target.declared.stream().noneMatch(type -> type.isInstance(thrown))) {
                fail("throws what it does not declare", input, thrown);
            } else if (thrown instanceof EOFException) {
                return; // its name says it all
            } else if (thrown.getMessage() == null || thrown.getMessage().isBlank()) {
                fail("says nothing", input, thrown);
            }
        }

        private void checkValue(T value, byte[] input) {
            if (target.encode == null) {
                return;
            }
            try {
                byte[] encoded = target.encode.encode(value);
                T again = target.decode.decode(encoded);
                boolean same =
                        target.comparedAsBytes
                                ? Arrays.equals(target.encode.encode(again), encoded)
                                : again.equals(value);
                if (!same) {
                    fail("gives another value after a round trip", input, null);
                }
            } catch (Throwable e) {
                fail("cannot encode and decode what it accepts", input, e);
            }
        }

        private void fail(String what, byte[] input, Throwable cause) {
            StringBuilder text = new StringBuilder("decoder " + target.name + " " + what);
            text.append("; -Dloam.seed=").append(seed).append("; ");
            text.append(input.length).append(" bytes: ");
            if (input.length <= MAX_HEX) {
                text.append(HexFormat.of().formatHex(input));
            } else {
                text.append(HexFormat.of().formatHex(input, 0, 64)).append("... in ");
                text.append(write(input));
            }
            if (cause != null) {
                text.append("; ").append(cause);
                StackTraceElement[] trace = cause.getStackTrace();
                for (int i = 0; i < Math.min(12, trace.length); i++) {
                    text.append("\n    at ").append(trace[i]);
                }
            }
            if (failed++ < MAX_FAILURES) {
                failures.add(text.toString());
            }
        }

        private Path write(byte[] input) {
            CRC32 crc = new CRC32();
            crc.update(input);
            try {
                Path file =
                        Path.of("target", "hostile-" + Long.toHexString(crc.getValue()) + ".bin");
                return Files.write(file, input);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
