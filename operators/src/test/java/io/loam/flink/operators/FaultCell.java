package io.loam.flink.operators;

import io.loam.store.testing.FaultPlan.Fault;

import java.util.regex.Pattern;

/** One cell of the fault matrix. */
record FaultCell(Way way, Target target, Use use, Fault fault) {

    /** What the job does while the stores fail. */
    enum Way {
        /** Starts without anything and applies. */
        APPLY,
        /** Restores the newest state after a kill, with a checkpoint to publish, then applies. */
        RESTART,
        /** Restores a state that published commits have overtaken, then applies. */
        REPAIR,
        /** Starts without state on a collection that holds rows, then applies. */
        REBUILD
    }

    /** At which uses of the operation the fault strikes. */
    enum Use {
        FIRST,
        MIDDLE,
        EVERY_THIRD,
        EVERY;

        boolean strikes(int use, int total) {
            switch (this) {
                case FIRST:
                    return use == 1;
                case MIDDLE:
                    return use == (total + 1) / 2;
                case EVERY_THIRD:
                    return use % 3 == 0;
                default:
                    return true;
            }
        }

        /** Whether it strikes at all, and another use than the others. */
        boolean applies(int total) {
            switch (this) {
                case FIRST:
                    return total > 0;
                case MIDDLE:
                    return total > 2;
                case EVERY_THIRD:
                    return total > 3;
                default:
                    return total > 0;
            }
        }
    }

    /** What became of the job. */
    enum Outcome {
        /** The job did as it does without the fault. */
        NO_EFFECT,
        /** The stores or the protocol got over it; the job did not fail. */
        RETRIED,
        /** The attempt failed, the next one succeeded. */
        RETRYABLE,
        /** The job failed for good; a start without state succeeded. */
        FATAL
    }

    /** An operation of a store, as its failing wrapper names it. */
    enum Target {
        PUT_DESCRIPTOR("put .*/staged/.*\\.stg", Kind.PUT),
        PUT_KEY_LIST("put .*/staged/.*\\.keys", Kind.PUT),
        PUT_LETTER_PART("put .*/staged/.*\\.dlp", Kind.PUT),
        PUT_DATA_FILE("put .*/lance/data/.*", Kind.PUT),
        PUT_SPLIT("put .*/text/splits/.*", Kind.PUT),
        PUT_ROW_VERSION("put .*/lance/_versions/.*", Kind.PUT),
        PUT_DELETION_FILE("put .*/lance/_deletions/.*", Kind.PUT),
        PUT_DELETE_BITMAP("put .*/text/deletes/.*", Kind.PUT),
        PUT_KEY_DELTA("put .*/pkdelta/.*", Kind.PUT),
        PUT_DEAD_LETTERS("put .*/deadletters/.*", Kind.PUT),
        PUT_MANIFEST("put .*/manifests/.*", Kind.PUT),
        GET_KEY_LIST("get .*/staged/.*\\.keys", Kind.GET),
        GET_LETTER_PART("get .*/staged/.*\\.dlp", Kind.GET),
        GET_MANIFEST("get .*/manifests/.*", Kind.GET),
        GET_ROW_VERSION("get .*/lance/_versions/.*", Kind.GET),
        GET_DELETION_FILE("get .*/lance/_deletions/.*", Kind.GET),
        GET_DELETE_BITMAP("get .*/text/deletes/.*", Kind.GET),
        GET_KEY_DELTA("get .*/pkdelta/.*", Kind.GET),
        STAT("stat .*", Kind.LOOK_UP),
        ROWS_MAKE_DATASET("rows (stat|put) .*", Kind.ROWS_PUT),
        ROWS_OPEN("rows get .*/_versions/.*", Kind.ROWS),
        ROWS_DELETIONS("rows get .*/_deletions/.*", Kind.ROWS),
        ROWS_DATA("rows get .*/data/.*", Kind.ROWS),
        CLOCK("clockMs", Kind.COMMAND),
        HEAD("head .*", Kind.READ),
        LEASE("lease .*", Kind.READ),
        ACQUIRE_LEASE("acquireLease .*", Kind.COMMAND),
        TAKE_OVER_LEASE("takeOverLease .*", Kind.COMMAND),
        EXTEND_LEASE("reacquireLease .*", Kind.COMMAND),
        RELEASE_LEASE("releaseLease .*", Kind.COMMAND),
        ROW_ID_BASE("rowIdBase .*", Kind.COMMAND),
        SWAP_POINTER("swapPointer .*", Kind.COMMAND),
        POINTER("pointer .*", Kind.READ);

        final Pattern operations;
        final Kind kind;

        Target(String operations, Kind kind) {
            this.operations = Pattern.compile(operations);
            this.kind = kind;
        }

        boolean matches(String operation) {
            return operations.matcher(operation).matches();
        }

        /** Why a fault makes no sense for the operation; empty if it does. */
        String excuse(Fault fault) {
            return this == LEASE && fault == Fault.FLIPPED
                    ? Kind.COMMAND.excuse(fault)
                    : kind.excuse(fault);
        }
    }

    /** What can go wrong with an operation, and why the rest cannot. */
    enum Kind {
        PUT,
        GET,
        LOOK_UP,
        ROWS,
        ROWS_PUT,
        COMMAND,
        READ;

        private String excuse(Fault fault) {
            boolean changes = this == PUT || this == COMMAND || this == ROWS_PUT;
            switch (fault) {
                case AFTER:
                case TIMEOUT_AFTER:
                    return changes ? "" : "has no effect that could have been taken";
                case STALE:
                    return changes ? "answers with what it did itself" : "";
                case SHORT:
                    return this == GET ? "" : shortness();
                case FLIPPED:
                    return this == GET || this == READ ? "" : flips();
                default:
                    return "";
            }
        }

        private String shortness() {
            return this == ROWS || this == ROWS_PUT
                    ? "Lance reads its files itself"
                    : "brings no bytes of an object";
        }

        private String flips() {
            switch (this) {
                case PUT:
                    return "the store checks what it is given";
                case ROWS:
                case ROWS_PUT:
                    return "Lance reads its files itself";
                case COMMAND:
                    return "the database checks its own pages";
                default:
                    return "brings no bytes of an object";
            }
        }
    }
}
