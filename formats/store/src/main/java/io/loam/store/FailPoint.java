package io.loam.store;

import javax.annotation.Nullable;

import java.nio.file.Path;

/**
 * Places where a process can be held, to be killed or paused exactly there. They are off unless the
 * JVM is started with {@code -Dloam.failpoints=<directory>}, or {@code LOAM_FAILPOINTS} in its
 * environment; off, a place is a test of a constant that the compiler removes.
 *
 * <p>On, a place does nothing until it is armed. Files in the directory, which the processes of a
 * cluster share:
 *
 * <pre>
 * NAME.armed      whoever wants the process held writes it: at which hit, counted from 1
 * NAME.hit.N      hit N was counted, over all processes
 * NAME.reached    the armed hit: the thread is held; process id, thread and time
 * NAME.go         whoever wants the thread to go on makes it
 * </pre>
 *
 * An interrupted thread goes on, too, still interrupted. Later hits pass until the files are
 * removed and the place is armed again.
 */
public enum FailPoint {
    /** The source has read where to start; it runs in the job manager. */
    SOURCE_START,
    /** The decoder has read where partitions stand. */
    DECODE_OPENED,
    /** One key delta of a repair is in the index. */
    REPAIR_DELTA,
    /** One key of a rebuild is in the index. */
    REBUILD_KEY,
    /** A staging subtask has its row ids. */
    ROW_IDS,
    /** A unit's descriptor is stored. */
    UNIT_DESCRIPTOR,
    /** A unit's data file is stored. */
    UNIT_ROWS,
    /** A unit's split is stored. */
    UNIT_SPLIT,
    /** A unit's key list is stored. */
    UNIT_KEYS,
    /** A unit's part of the dead letters is stored. */
    UNIT_DEAD_LETTERS,
    /** A subtask has staged everything before a barrier. */
    STAGED,
    /** The committable of a checkpoint has been sent to the committer. */
    AGGREGATED,
    /** A committer begins with a committable. */
    COMMIT_STARTED,
    /** A committer has taken the apply lease. */
    LEASE_TAKEN,
    /** A deletion file of a commit is stored. */
    PUT_DELETION_FILE,
    /** A delete bitmap of a commit is stored. */
    PUT_DELETE_BITMAP,
    /** The row version of a commit is stored. */
    PUT_ROW_VERSION,
    /** The key delta of a commit is stored. */
    PUT_KEY_DELTA,
    /** The dead letters of a commit are stored. */
    PUT_DEAD_LETTERS,
    /** The manifest of a commit is stored. */
    PUT_MANIFEST,
    /** A committer is about to swap the pointer. */
    BEFORE_SWAP,
    /** The pointer is swapped, and nobody has been told. */
    SWAPPED,
    /** The commit is over, and Flink has not been told. */
    PUBLISHED,
    /** What a side job has built is stored. */
    MAINTENANCE_UPLOADED,
    /** The manifest of a side job is stored. */
    MAINTENANCE_MANIFEST,
    /** A side job's version is live, and nobody has been told. */
    MAINTENANCE_PUBLISHED,
    /** The request of an erasure is stored. */
    ERASURE_REQUESTED,
    /** What held erased documents is written anew, and older versions still name the old. */
    ERASURE_PURGED,
    /** Older versions are released, and nobody has been told. */
    ERASURE_RELEASED,
    /** Older tags name copies. */
    ERASURE_TAGGED,
    /** The stream of an erasure is trimmed. */
    ERASURE_TRIMMED,
    /** The objects of released versions are deleted. */
    ERASURE_SWEPT;

    /** System property that names the directory. */
    public static final String PROPERTY = "loam.failpoints";

    private static final String VARIABLE = "LOAM_FAILPOINTS";

    @Nullable
    private static final HeldThreads HELD =
            held(System.getProperty(PROPERTY), System.getenv(VARIABLE));

    private static final boolean ON = HELD != null;

    @Nullable
    static HeldThreads held(@Nullable String property, @Nullable String variable) {
        String directory = property != null ? property : variable;
        return directory == null || directory.isEmpty()
                ? null
                : new HeldThreads(Path.of(directory));
    }

    /** Whether this JVM was started with fail points. */
    public static boolean isOn() {
        return ON;
    }

    /** Says that the calling thread is here. */
    public void reach() {
        if (ON) {
            HELD.hit(name());
        }
    }
}
