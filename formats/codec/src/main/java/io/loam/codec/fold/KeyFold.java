package io.loam.codec.fold;

import io.loam.codec.fold.FoldOutcome.Effect;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.Delete;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.Upsert;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Folds the operations of one key latest-wins. Its outcome, the row's offset included, does not
 * depend on how the stream was cut into batches.
 *
 * <p>Usage: {@link #prepare} drops upserts that break the schema; {@link Prepared#needsCurrent}
 * tells whether the committed document has to be read; {@link Prepared#fold} gives the outcome.
 */
public final class KeyFold {
    private KeyFold() {}

    /**
     * @param operations of one key, in stream order
     * @param violation first violation of a document as {@code <field>: <message>}, empty if none
     * @param deadLetters takes upserts, and later patches, that break the schema
     */
    public static Prepared prepare(
            List<LoggedOperation> operations,
            Function<Document, Optional<String>> violation,
            Consumer<DeadLetter> deadLetters) {
        List<LoggedOperation> valid = new ArrayList<>(operations.size());
        for (LoggedOperation logged : operations) {
            Optional<String> broken =
                    logged.operation() instanceof Upsert
                            ? violation.apply(((Upsert) logged.operation()).document())
                            : Optional.empty();
            if (broken.isPresent()) {
                deadLetters.accept(schemaLetter(logged, broken.get()));
            } else {
                valid.add(logged);
            }
        }
        return new Prepared(valid, violation, deadLetters);
    }

    private static DeadLetter schemaLetter(LoggedOperation logged, String violation) {
        return new DeadLetter(
                logged.partition(),
                logged.offset(),
                logged.operation().key().canonical(),
                logged.value(),
                "schema: " + violation);
    }

    /** Operations of one key of which no upsert breaks the schema. */
    public static final class Prepared {
        private final List<LoggedOperation> operations;
        private final Function<Document, Optional<String>> violation;
        private final Consumer<DeadLetter> deadLetters;

        private Document state;
        private LoggedOperation writer;

        private Prepared(
                List<LoggedOperation> operations,
                Function<Document, Optional<String>> violation,
                Consumer<DeadLetter> deadLetters) {
            this.operations = operations;
            this.violation = violation;
            this.deadLetters = deadLetters;
        }

        /**
         * Whether the first operation is a patch, so that the fold starts from the committed row.
         */
        public boolean needsCurrent() {
            return !operations.isEmpty() && operations.get(0).operation() instanceof Patch;
        }

        /**
         * Folds, once.
         *
         * @param current the committed document; ignored unless {@link #needsCurrent}
         * @param hasRow whether the key has a row
         */
        public FoldOutcome fold(@Nullable Document current, boolean hasRow) {
            state = needsCurrent() ? current : null;
            writer = null;
            for (LoggedOperation logged : operations) {
                apply(logged);
            }
            if (writer != null) {
                return new FoldOutcome(
                        hasRow ? Effect.REPLACE : Effect.INSERT,
                        state,
                        writer.partition(),
                        writer.offset());
            }
            boolean deleted = hasRow && state == null && !operations.isEmpty();
            return FoldOutcome.of(deleted ? Effect.DELETE : Effect.NONE);
        }

        private void apply(LoggedOperation logged) {
            Operation operation = logged.operation();
            if (operation instanceof Upsert) {
                state = ((Upsert) operation).document();
                writer = logged;
            } else if (operation instanceof Delete) {
                state = null;
                writer = null;
            } else {
                patch(logged, (Patch) operation);
            }
        }

        private void patch(LoggedOperation logged, Patch patch) {
            Document result = patched(patch);
            if (result == null || result.equals(state)) {
                return;
            }
            Optional<String> broken = violation.apply(result);
            if (broken.isPresent()) {
                deadLetters.accept(schemaLetter(logged, broken.get()));
                return;
            }
            state = result;
            writer = logged;
        }

        @Nullable
        private Document patched(Patch patch) {
            if (state != null) {
                return Patching.apply(state, patch);
            }
            Document upsert = patch.upsert();
            return upsert != null && upsert.key().equals(patch.key()) ? upsert : null;
        }
    }
}
