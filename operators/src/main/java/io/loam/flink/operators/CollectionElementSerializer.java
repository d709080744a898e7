package io.loam.flink.operators;

import io.loam.codec.CorruptException;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.staged.StagedUnitCodec;
import io.loam.flink.operators.CollectionElement.Change;
import io.loam.flink.operators.CollectionElement.CurrentRow;
import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.flink.operators.CollectionElement.Op;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

import java.io.IOException;

/**
 * Version 1 of an element's bytes; {@code bytes} is a length (int, -1 for null) and the bytes,
 * {@code text} the same in UTF-8.
 *
 * <pre>
 * Element  = 0 Op | 1 Letter | 2 Progress | 3 Unit | 4 Report | 5 Change | 6 CurrentRow
 * Op       = partition int, offset long, key bytes, value bytes     (the record as it was read)
 * Letter   = partition int, offset long, key bytes?, value bytes?, reason text
 * Progress = partition int, from long, to long, skipped long
 * Unit     = bytes of a staged unit
 * Report   = subtask int, parallelism int, repaired bool, commit id text if repaired
 * Change   = key bytes, value bytes
 * CurrentRow = key bytes, row id long
 * </pre>
 */
final class CollectionElementSerializer extends ValueSerializer<CollectionElement> {
    static final CollectionElementSerializer INSTANCE = new CollectionElementSerializer();
    private static final long serialVersionUID = 1L;

    private static final int OP = 0;
    private static final int LETTER = 1;
    private static final int PROGRESS = 2;
    private static final int UNIT = 3;
    private static final int REPORT = 4;
    private static final int CHANGE = 5;
    private static final int CURRENT_ROW = 6;

    @Override
    public CollectionElement createInstance() {
        return new Progress(0, new OffsetRange(0, 0, 0));
    }

    @Override
    public void serialize(CollectionElement element, DataOutputView out) throws IOException {
        if (element instanceof Op op) {
            out.writeByte(OP);
            out.writeInt(op.partition());
            out.writeLong(op.offset());
            Bytes.write(out, op.key().canonical());
            Bytes.write(out, op.value());
        } else if (element instanceof Letter letter) {
            out.writeByte(LETTER);
            writeLetter(out, letter.letter());
        } else if (element instanceof Progress progress) {
            out.writeByte(PROGRESS);
            writeProgress(out, progress);
        } else if (element instanceof Unit unit) {
            out.writeByte(UNIT);
            Bytes.write(out, StagedUnitCodec.encode(unit.unit()));
        } else if (element instanceof StageReport report) {
            out.writeByte(REPORT);
            writeReport(out, report);
        } else if (element instanceof Change change) {
            out.writeByte(CHANGE);
            Bytes.write(out, change.key().canonical());
            Bytes.write(out, change.value());
        } else if (element instanceof CurrentRow current) {
            out.writeByte(CURRENT_ROW);
            Bytes.write(out, current.key().canonical());
            out.writeLong(current.rowId());
        } else {
            throw new IOException("no layout for " + element.getClass());
        }
    }

    private static void writeLetter(DataOutputView out, DeadLetter letter) throws IOException {
        out.writeInt(letter.partition());
        out.writeLong(letter.offset());
        Bytes.write(out, letter.key());
        Bytes.write(out, letter.value());
        Bytes.writeText(out, letter.reason());
    }

    private static void writeProgress(DataOutputView out, Progress progress) throws IOException {
        out.writeInt(progress.partition());
        out.writeLong(progress.range().from());
        out.writeLong(progress.range().to());
        out.writeLong(progress.range().skipped());
    }

    private static void writeReport(DataOutputView out, StageReport report) throws IOException {
        out.writeInt(report.subtask());
        out.writeInt(report.parallelism());
        out.writeBoolean(report.repairedTo() != null);
        if (report.repairedTo() != null) {
            Bytes.writeText(out, report.repairedTo());
        }
    }

    @Override
    public CollectionElement deserialize(DataInputView in) throws IOException {
        int kind = in.readUnsignedByte();
        switch (kind) {
            case OP:
                return new Op(in.readInt(), in.readLong(), readKey(in), Bytes.read(in));
            case LETTER:
                return new Letter(
                        new DeadLetter(
                                in.readInt(),
                                in.readLong(),
                                Bytes.readNullable(in),
                                Bytes.readNullable(in),
                                Bytes.readText(in)));
            case PROGRESS:
                return new Progress(
                        in.readInt(), new OffsetRange(in.readLong(), in.readLong(), in.readLong()));
            case UNIT:
                return new Unit(readUnit(in));
            case REPORT:
                return new StageReport(
                        in.readInt(), in.readInt(), in.readBoolean() ? Bytes.readText(in) : null);
            case CHANGE:
                return new Change(readKey(in), Bytes.read(in));
            case CURRENT_ROW:
                return new CurrentRow(readKey(in), in.readLong());
            default:
                throw new IOException("an element of unknown kind " + kind);
        }
    }

    private static PrimaryKey readKey(DataInputView in) throws IOException {
        try {
            return PrimaryKey.parseCanonical(Bytes.read(in));
        } catch (InvalidKeyException e) {
            throw new IOException("not a key: " + e.getMessage(), e);
        }
    }

    private static io.loam.codec.staged.StagedUnit readUnit(DataInputView in) throws IOException {
        try {
            return StagedUnitCodec.decode(Bytes.read(in));
        } catch (CorruptException e) {
            throw new IOException("not a staged unit: " + e.getMessage(), e);
        }
    }

    @Override
    public Snapshot snapshotConfiguration() {
        return new Snapshot();
    }

    /** Snapshot of this serializer. */
    public static final class Snapshot extends ValueSerializerSnapshot<CollectionElement> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
