package io.loam.store.testing;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

/**
 * Decides which operations of a failing wrapper fail, and remembers all it was asked about. An
 * operation is written as its name and subject, such as {@code put ns/1/collections/1/lance/x}.
 */
public final class FaultPlan {
    /** What happens to an operation. */
    public enum Fault {
        NONE,
        /** It fails without having been tried. */
        BEFORE,
        /** It takes effect, and then its caller sees a failure. */
        AFTER
    }

    private record Armed(String part, Fault fault, Runnable before) {}

    private final Random random;
    private final List<Armed> armed = new ArrayList<>();
    private final List<String> operations = new ArrayList<>();
    private final List<String> putRounds = new ArrayList<>();
    private double rate;

    private FaultPlan(Random random, double rate) {
        this.random = random;
        this.rate = rate;
    }

    /** Nothing fails but what is armed with {@link #once}. */
    public static FaultPlan scripted() {
        return new FaultPlan(new Random(0), 0);
    }

    /** Each operation fails with the given probability, before or after it took effect. */
    public static FaultPlan random(long seed, double rate) {
        return new FaultPlan(new Random(seed), rate);
    }

    /** The next operation that contains this text fails; several calls arm several failures. */
    public synchronized FaultPlan once(String part, Fault fault) {
        armed.add(new Armed(part, fault, () -> {}));
        return this;
    }

    /** Something else happens just before the next operation that contains this text. */
    public synchronized FaultPlan onceRun(String part, Runnable before) {
        armed.add(new Armed(part, Fault.NONE, before));
        return this;
    }

    /** From now on nothing fails. */
    public synchronized void heal() {
        rate = 0;
        armed.clear();
    }

    /** Every operation so far, in order. */
    public synchronized List<String> operations() {
        return List.copyOf(operations);
    }

    /** Every put or putAll so far: what a caller waited for one after the other. */
    public synchronized List<String> putRounds() {
        return List.copyOf(putRounds);
    }

    synchronized void putRound(String round) {
        putRounds.add(round);
    }

    public synchronized void forgetOperations() {
        operations.clear();
        putRounds.clear();
    }

    synchronized Fault next(String operation) {
        operations.add(operation);
        for (Iterator<Armed> i = armed.iterator(); i.hasNext(); ) {
            Armed candidate = i.next();
            if (operation.contains(candidate.part())) {
                i.remove();
                candidate.before().run();
                return candidate.fault();
            }
        }
        if (rate == 0 || random.nextDouble() >= rate) {
            return Fault.NONE;
        }
        return random.nextBoolean() ? Fault.BEFORE : Fault.AFTER;
    }
}
