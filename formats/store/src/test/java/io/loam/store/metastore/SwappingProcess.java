package io.loam.store.metastore;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Swaps a pointer for ever and prints the version of every swap it has been told of. */
final class SwappingProcess {
    static final String KEY = "test/swapped";
    static final String LEASE = "test/lease";

    private SwappingProcess() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
        try (Metastore store = JdbcMetastore.open(args[0], null, null)) {
            long version = store.pointer(1, KEY).map(Pointer::version).orElse(0L);
            while (!out.checkError()) {
                PointerSwap swap =
                        new PointerSwap(1, KEY, version, "m", LEASE, 1, store.clockMs(), 60_000);
                version = store.swapPointer(swap).version();
                out.println(version);
            }
        }
    }
}
