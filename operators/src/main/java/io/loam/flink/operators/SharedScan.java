package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.store.repair.IndexRebuild;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * One pass over the rows of a version for all subtasks of this process that build their index of it
 * at the same time. The rows come in parts. Whoever is free reads the next part and hands each
 * entry to the member that owns its key; entries of members elsewhere are passed over.
 *
 * <p>A part is read for those who are members when its reading begins and do not have it yet, so
 * that who comes later, or alone, reads what it missed by itself; and again for all it was read for
 * if reading it fails. A member that leaves is not waited for.
 */
final class SharedScan {
    private static final int BATCH = 1_024;
    private static final int QUEUED_BATCHES = 16;
    private static final long LOOK_MS = 10;
    private static final Map<Object, SharedScan> RUNNING = new HashMap<>();

    /** Reads one part of the rows. */
    @FunctionalInterface
    interface Reader {
        /** Gives all entries of a part to the sink; returns how many. */
        long read(int part, int parts, IndexRebuild.Sink sink) throws IOException;
    }

    private record Entry(PrimaryKey key, long rowId) {}

    private final Object name;
    private final int parts;
    private final Map<Integer, Member> members = new HashMap<>();
    private final List<Set<Member>> having = new ArrayList<>();
    private final Set<Integer> beingRead = new HashSet<>();

    private SharedScan(Object name, int parts) {
        this.name = name;
        this.parts = parts;
        for (int i = 0; i < parts; i++) {
            having.add(new HashSet<>());
        }
    }

    /**
     * Brings a subtask all entries it owns; returns once it has them.
     *
     * @param name equal for all that read the same version for the same attempt of a job
     * @param subtasks of the operator, which is how many parts there are
     * @return how many rows this subtask has read itself
     */
    static long run(
            Object name,
            int subtask,
            int subtasks,
            ToIntFunction<PrimaryKey> owners,
            Reader reader,
            IndexRebuild.Sink index)
            throws IOException {
        SharedScan scan;
        Member member = new Member(subtask, index);
        synchronized (RUNNING) {
            scan = RUNNING.computeIfAbsent(name, any -> new SharedScan(any, subtasks));
            synchronized (scan) {
                // Another of the same number is one of an attempt that has ended.
                scan.members.put(subtask, member);
            }
        }
        try {
            return scan.run(member, owners, reader);
        } finally {
            scan.leave(member);
        }
    }

    private void leave(Member member) {
        synchronized (RUNNING) {
            synchronized (this) {
                member.left = true;
                members.remove(member.subtask, member);
                if (members.isEmpty()) {
                    RUNNING.remove(name, this);
                }
            }
        }
    }

    private long run(Member member, ToIntFunction<PrimaryKey> owners, Reader reader)
            throws IOException {
        long rows = 0;
        while (true) {
            member.drain();
            int part = claim(member);
            if (part >= 0) {
                rows += read(part, member, owners, reader);
            } else if (isComplete(member)) {
                member.drain();
                return rows;
            } else {
                member.await();
            }
        }
    }

    /** A part that the member lacks and nobody reads; -1 for none. */
    private synchronized int claim(Member member) {
        for (int i = 0; i < parts; i++) {
            // Each begins with its own share.
            int part = (member.subtask + i) % parts;
            if (!having.get(part).contains(member) && beingRead.add(part)) {
                return part;
            }
        }
        return -1;
    }

    /** Whether every part was read for the member, to its end. */
    private synchronized boolean isComplete(Member member) {
        for (int part = 0; part < parts; part++) {
            if (!having.get(part).contains(member)) {
                return false;
            }
        }
        return true;
    }

    private long read(int part, Member member, ToIntFunction<PrimaryKey> owners, Reader reader)
            throws IOException {
        Map<Integer, Delivery> deliveries = new HashMap<>();
        synchronized (this) {
            for (Member one : members.values()) {
                if (!having.get(part).contains(one)) {
                    deliveries.put(one.subtask, new Delivery(one));
                }
            }
        }
        boolean done = false;
        try {
            long rows =
                    reader.read(
                            part,
                            parts,
                            (key, rowId) -> {
                                Delivery delivery = deliveries.get(owners.applyAsInt(key));
                                if (delivery != null) {
                                    delivery.add(new Entry(key, rowId), member);
                                }
                            });
            for (Delivery delivery : deliveries.values()) {
                delivery.send(member);
            }
            done = true;
            return rows;
        } finally {
            finish(part, deliveries, done);
        }
    }

    private synchronized void finish(int part, Map<Integer, Delivery> deliveries, boolean done) {
        beingRead.remove(part);
        if (done) {
            deliveries.values().forEach(delivery -> having.get(part).add(delivery.to));
        }
    }

    /** A subtask that builds its index. */
    private static final class Member {
        private final int subtask;
        private final IndexRebuild.Sink index;
        private final BlockingQueue<List<Entry>> queue = new ArrayBlockingQueue<>(QUEUED_BATCHES);
        private volatile boolean left;

        Member(int subtask, IndexRebuild.Sink index) {
            this.subtask = subtask;
            this.index = index;
        }

        private void drain() throws IOException {
            for (List<Entry> batch = queue.poll(); batch != null; batch = queue.poll()) {
                put(batch);
            }
        }

        private void put(List<Entry> batch) throws IOException {
            for (Entry entry : batch) {
                index.put(entry.key(), entry.rowId());
            }
        }

        /** Waits a moment for entries that others read. */
        private void await() throws IOException {
            List<Entry> batch = interruptibly(() -> queue.poll(LOOK_MS, TimeUnit.MILLISECONDS));
            if (batch != null) {
                put(batch);
            }
        }
    }

    /** Entries on their way to a member. */
    private static final class Delivery {
        private final Member to;
        private List<Entry> batch = new ArrayList<>(BATCH);

        Delivery(Member to) {
            this.to = to;
        }

        private void add(Entry entry, Member from) throws IOException {
            if (to == from) {
                to.index.put(entry.key(), entry.rowId());
                return;
            }
            batch.add(entry);
            if (batch.size() == BATCH) {
                send(from);
            }
        }

        /** Before, and while the other's queue is full, one's own is emptied: others may wait. */
        private void send(Member from) throws IOException {
            List<Entry> sent = batch;
            batch = new ArrayList<>(BATCH);
            from.drain();
            while (!to.left
                    && !sent.isEmpty()
                    && !interruptibly(() -> to.queue.offer(sent, LOOK_MS, TimeUnit.MILLISECONDS))) {
                from.drain();
            }
        }
    }

    /** A wait that may be interrupted. */
    private interface Wait<T> {
        T run() throws InterruptedException;
    }

    private static <T> T interruptibly(Wait<T> wait) throws IOException {
        try {
            return wait.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the key index was rebuilt", e);
        }
    }
}
