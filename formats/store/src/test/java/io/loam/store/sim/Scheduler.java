package io.loam.store.sim;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Runs actors one at a time. An actor is a thread that gives the turn away before every call of a
 * store; the seed decides who goes on, who is held up for how long, and how far the clock moves. So
 * calls interleave at any place, and the same seed interleaves them the same way.
 */
final class Scheduler {
    private static final ExecutorService THREADS =
            Executors.newCachedThreadPool(
                    work -> {
                        Thread thread = new Thread(work, "sim");
                        thread.setDaemon(true);
                        return thread;
                    });
    private static final ThreadLocal<Actor> CURRENT = new ThreadLocal<>();
    private static final int LONGEST_HOLD_STEPS = 400;

    /** What an actor does. */
    interface Body {
        void run() throws Exception;
    }

    /** A thread of a simulated process. */
    final class Actor {
        private final String name;
        private final Semaphore turn = new Semaphore(0);
        private BooleanSupplier until = () -> true;
        private long wakeAtMs;
        private int heldUntilStep;
        private boolean killed;
        private boolean done;

        private Actor(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        boolean isDone() {
            return done;
        }

        /** The process dies before its next call of a store. */
        void kill() {
            if (!done && !killed) {
                note(name + " dies");
                killed = true;
            }
        }
    }

    private final Random random;
    private final int holdOneIn;
    private final int stayPercent;
    private final List<Actor> actors = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private final Semaphore controller = new Semaphore(0);
    private Runnable chaos = () -> {};
    private long nowMs = 1_700_000_000_000L;
    private int steps;
    private int limit;
    @Nullable private Throwable failure;

    Scheduler(Random random) {
        this.random = random;
        this.holdOneIn = 20 + random.nextInt(200);
        this.stayPercent = random.nextInt(90);
    }

    long nowMs() {
        return nowMs;
    }

    void advance(long ms) {
        nowMs += ms;
    }

    int steps() {
        return steps;
    }

    List<String> trace() {
        return trace;
    }

    /** Something that happens with the turn of whoever has it, after each step. */
    void chaos(Runnable each) {
        chaos = each;
    }

    void note(String what) {
        trace.add(steps + " " + nowMs % 1_000_000_000_000L + " " + what);
    }

    /** Starts an actor; it runs when it gets its turn. */
    Actor spawn(String name, Body body) {
        Actor actor = new Actor(name);
        actors.add(actor);
        note(name + " starts");
        THREADS.execute(
                () -> {
                    actor.turn.acquireUninterruptibly();
                    CURRENT.set(actor);
                    try {
                        if (!actor.killed) {
                            body.run();
                        }
                    } catch (SimCrash e) {
                        note(actor.name + " is gone");
                    } catch (Throwable e) {
                        failure = failure == null ? e : failure;
                    } finally {
                        CURRENT.remove();
                        actor.done = true;
                        handOver(null);
                    }
                });
        return actor;
    }

    /** Before a call: others may go first. */
    void step(String what) {
        Actor self = CURRENT.get();
        if (self == null) {
            return; // the oracle, or the test itself
        }
        giveWay(self, () -> true, 0);
        note(self.name + " " + what);
    }

    /** Waits until the condition holds, or the clock reaches a time. */
    void await(BooleanSupplier until, long wakeAtMs) {
        giveWay(CURRENT.get(), until, wakeAtMs);
    }

    void sleep(long ms) {
        await(() -> false, nowMs + ms);
    }

    private void giveWay(Actor self, BooleanSupplier until, long wakeAtMs) {
        requireAlive(self);
        self.until = until;
        self.wakeAtMs = wakeAtMs;
        handOver(self);
        requireAlive(self);
    }

    private static void requireAlive(Actor self) {
        if (self.killed) {
            throw new SimCrash(self.name);
        }
    }

    private void handOver(@Nullable Actor self) {
        Actor next = choose();
        if (next == self && self != null) {
            return;
        }
        (next == null ? controller : next.turn).release();
        if (self != null) {
            self.turn.acquireUninterruptibly();
        }
    }

    /** Runs for so many steps, or until everybody is done or something failed. */
    void run(int moreSteps) {
        limit = steps + moreSteps;
        Actor first = choose();
        if (first != null) {
            first.turn.release();
            controller.acquireUninterruptibly();
        }
    }

    /** Kills every actor and lets each unwind. */
    void killAll() {
        chaos = () -> {};
        actors.forEach(Actor::kill);
        Throwable before = failure;
        failure = null;
        run(Integer.MAX_VALUE / 2);
        failure = before == null ? failure : before;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    @Nullable
    private Actor choose() {
        actors.removeIf(actor -> actor.done);
        if (failure != null || steps >= limit) {
            return killedOne();
        }
        steps++;
        nowMs += random.nextInt(20);
        try {
            chaos.run();
        } catch (RuntimeException e) {
            failure = e;
            return killedOne();
        }
        List<Actor> ready = ready();
        while (ready.isEmpty()) {
            long earliest =
                    actors.stream()
                            .filter(actor -> actor.wakeAtMs > nowMs)
                            .mapToLong(actor -> actor.wakeAtMs)
                            .min()
                            .orElse(-1);
            if (earliest > 0) {
                nowMs = earliest;
            } else if (actors.stream().noneMatch(actor -> actor.heldUntilStep > steps)) {
                return null;
            }
            actors.forEach(actor -> actor.heldUntilStep = 0);
            ready = ready();
        }
        return pick(ready);
    }

    /** When a run ends, those that were killed still have to unwind. */
    @Nullable
    private Actor killedOne() {
        return actors.stream().filter(actor -> actor.killed).findFirst().orElse(null);
    }

    private List<Actor> ready() {
        List<Actor> ready = new ArrayList<>();
        for (Actor actor : actors) {
            boolean awake =
                    actor.heldUntilStep <= steps
                            && (actor.until.getAsBoolean()
                                    || (actor.wakeAtMs > 0 && actor.wakeAtMs <= nowMs));
            if (actor.killed || awake) {
                ready.add(actor);
            }
        }
        return ready;
    }

    private Actor pick(List<Actor> ready) {
        Actor current = CURRENT.get();
        if (current != null && ready.contains(current) && random.nextInt(100) < stayPercent) {
            return current;
        }
        Actor picked = ready.get(random.nextInt(ready.size()));
        if (random.nextInt(holdOneIn) == 0 && ready.size() > 1) {
            picked.heldUntilStep = steps + 1 + random.nextInt(LONGEST_HOLD_STEPS);
            note(picked.name + " is held up for " + (picked.heldUntilStep - steps) + " steps");
            List<Actor> others = new ArrayList<>(ready);
            others.remove(picked);
            return others.get(random.nextInt(others.size()));
        }
        return picked;
    }
}
