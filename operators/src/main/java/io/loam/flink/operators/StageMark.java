package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.store.repair.RepairState;
import io.loam.store.repair.RepairState.Snapshot;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import javax.annotation.Nullable;

import java.io.IOException;

/**
 * What a subtask's key index knows about itself in a snapshot.
 *
 * @param checkpoint of the snapshot
 * @param tip last checkpoint at which this subtask emitted something, -1 for none
 * @param startedFrom commit id the index stood at when it was last built, repaired or taken over
 *     from another incarnation
 * @param inherited see {@link RepairState#inherited}
 */
record StageMark(
        Ulid incarnation,
        long checkpoint,
        long tip,
        String startedFrom,
        @Nullable Snapshot inherited) {
    private static final int VERSION = 2;

    static final TypeInformation<StageMark> TYPE =
            new ValueTypeInfo<>(StageMark.class, Serializer.INSTANCE, false);

    /** Joins the marks of all subtasks: the index is as new as the newest of them. */
    static RepairState join(Iterable<StageMark> marks) {
        RepairState joined = RepairState.NONE;
        for (StageMark mark : marks) {
            joined =
                    new RepairState(
                            mark.incarnation,
                            Math.max(joined.checkpoint(), mark.checkpoint),
                            Math.max(joined.tipCheckpoint(), mark.tip),
                            mark.startedFrom,
                            mark.inherited);
        }
        return joined;
    }

    /**
     * incarnation 2 longs | checkpoint long | tip long | started from text | inherited boolean,
     * then incarnation 2 longs | checkpoint long. Version 1 had no inherited.
     */
    static final class Serializer extends ValueSerializer<StageMark> {
        static final Serializer INSTANCE = new Serializer();
        private static final long serialVersionUID = 1L;

        @Override
        public StageMark createInstance() {
            return new StageMark(new Ulid(0, 0), 0, 0, "", null);
        }

        @Override
        public void serialize(StageMark mark, DataOutputView out) throws IOException {
            Bytes.write(out, mark.incarnation);
            out.writeLong(mark.checkpoint);
            out.writeLong(mark.tip);
            Bytes.writeText(out, mark.startedFrom);
            out.writeBoolean(mark.inherited != null);
            if (mark.inherited != null) {
                Bytes.write(out, mark.inherited.incarnation());
                out.writeLong(mark.inherited.checkpoint());
            }
        }

        @Override
        public StageMark deserialize(DataInputView in) throws IOException {
            return new StageMark(
                    Bytes.readUlid(in),
                    in.readLong(),
                    in.readLong(),
                    Bytes.readText(in),
                    in.readBoolean() ? new Snapshot(Bytes.readUlid(in), in.readLong()) : null);
        }

        @Override
        public Configuration snapshotConfiguration() {
            return new Configuration();
        }

        /** Snapshot of this serializer. */
        public static final class Configuration extends ValueSerializerSnapshot<StageMark> {
            public Configuration() {
                super(() -> INSTANCE, VERSION);
            }
        }
    }
}
