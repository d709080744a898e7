package io.loam.store.testing;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

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
        AFTER,
        /** Its caller waits in vain; nothing happened. */
        TIMEOUT_BEFORE,
        /** Its caller waits in vain; it took effect. */
        TIMEOUT_AFTER,
        /** It takes long, and then succeeds. */
        SLOW,
        /** It takes very long, and then succeeds. */
        STALLED,
        /** A read answers as if the newest change had not been made. */
        STALE,
        /** A read brings fewer bytes than there are. */
        SHORT,
        /** A read brings one bit other than it is. */
        FLIPPED
    }

    private record Armed(String part, Fault fault, Runnable before) {}

    /** Operations that fail again and again, or at chosen uses. */
    public static final class Rule {
        private final Predicate<String> operations;
        private final IntPredicate uses;
        private final Fault fault;
        private int seen;
        private final List<String> fired = new ArrayList<>();

        private Rule(Predicate<String> operations, IntPredicate uses, Fault fault) {
            this.operations = operations;
            this.uses = uses;
            this.fault = fault;
        }

        /** The operations that were made to fail. */
        public synchronized List<String> fired() {
            return List.copyOf(fired);
        }

        private synchronized boolean fires(String operation) {
            if (!operations.test(operation) || !uses.test(++seen)) {
                return false;
            }
            fired.add(operation);
            return true;
        }
    }

    private final Random random;
    private final List<Armed> armed = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<String> operations = new ArrayList<>();
    private final List<String> putRounds = new ArrayList<>();
    private Consumer<Fault> slowness = fault -> {};
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

    /**
     * Some of the operations fail.
     *
     * @param uses which of the matching operations, counted from 1
     */
    public synchronized Rule rule(Predicate<String> operations, IntPredicate uses, Fault fault) {
        Rule rule = new Rule(operations, uses, fault);
        rules.add(rule);
        return rule;
    }

    /** What happens while an operation is slow, however slow. */
    public FaultPlan slowness(Runnable happens) {
        return slowness(fault -> happens.run());
    }

    /** What happens while an operation is SLOW or STALLED. */
    public synchronized FaultPlan slowness(Consumer<Fault> happens) {
        slowness = happens;
        return this;
    }

    void slow(Fault fault) {
        Consumer<Fault> happens;
        synchronized (this) {
            happens = slowness;
        }
        happens.accept(fault);
    }

    /** A number below the bound, from the plan's seed. */
    synchronized int draw(int bound) {
        return random.nextInt(bound);
    }

    /** From now on nothing fails. */
    public synchronized void heal() {
        rate = 0;
        armed.clear();
        rules.clear();
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

    Fault next(String operation) {
        Armed hit;
        synchronized (this) {
            operations.add(operation);
            hit = take(operation);
            if (hit == null) {
                return drawn(operation);
            }
        }
        // Outside the lock, as what it does may go through this plan on other threads.
        hit.before().run();
        return hit.fault();
    }

    @Nullable
    private Armed take(String operation) {
        for (Iterator<Armed> i = armed.iterator(); i.hasNext(); ) {
            Armed candidate = i.next();
            if (operation.contains(candidate.part())) {
                i.remove();
                return candidate;
            }
        }
        return null;
    }

    private Fault drawn(String operation) {
        for (Rule rule : rules) {
            if (rule.fires(operation)) {
                return rule.fault;
            }
        }
        if (rate == 0 || random.nextDouble() >= rate) {
            return Fault.NONE;
        }
        return random.nextBoolean() ? Fault.BEFORE : Fault.AFTER;
    }
}
