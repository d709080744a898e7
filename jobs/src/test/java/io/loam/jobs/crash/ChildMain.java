package io.loam.jobs.crash;

import java.io.IOException;
import java.util.Arrays;

/**
 * Runs the main class that its first argument names, and ends when its standard input does, which
 * is when its parent dies, however it dies.
 */
final class ChildMain {
    private ChildMain() {}

    public static void main(String[] args) throws Exception {
        Thread watch = new Thread(ChildMain::haltAtEndOfInput, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        Class.forName(args[0])
                .getMethod("main", String[].class)
                .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    }

    private static void haltAtEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // The parent writes nothing; only the end of the stream means something.
            }
        } catch (IOException e) {
            System.err.println("standard input broke: " + e.getMessage());
        }
        Runtime.getRuntime().halt(0);
    }
}
