package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.apache.flink.util.TimeUtils;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** {@code CALL sys.create_tag('db.table', 'name')}: names a version, as {@code loam tag create}. */
@Internal
public final class CreateTagProcedure implements Procedure {
    private final Procedures procedures;

    CreateTagProcedure(Procedures procedures) {
        this.procedures = procedures;
    }

    /**
     * Names a version of a table.
     *
     * @param context not used
     * @param table its name, with or without its database
     * @param tag name of the tag
     * @param atVersion a retained version; null for the live one
     * @param token a consistency token the version is to cover; null for none
     * @param description what it is for; null for nothing
     * @param lifetime how long it stands, such as {@code 30 d}; null for until it is deleted
     * @param protect whether the table cannot be dropped meanwhile; null for no
     * @return the tag, its version and when it ends
     */
    @ProcedureHint(
            arguments = {
                @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
                @ArgumentHint(name = "tag", type = @DataTypeHint("STRING")),
                @ArgumentHint(
                        name = "at_version",
                        type = @DataTypeHint("BIGINT"),
                        isOptional = true),
                @ArgumentHint(name = "token", type = @DataTypeHint("STRING"), isOptional = true),
                @ArgumentHint(
                        name = "description",
                        type = @DataTypeHint("STRING"),
                        isOptional = true),
                @ArgumentHint(name = "lifetime", type = @DataTypeHint("STRING"), isOptional = true),
                @ArgumentHint(name = "protect", type = @DataTypeHint("BOOLEAN"), isOptional = true)
            },
            output =
                    @DataTypeHint(
                            "ROW<tag STRING NOT NULL, version BIGINT NOT NULL, expires_at"
                                    + " TIMESTAMP_LTZ(3)>"))
    public Row[] call(
            ProcedureContext context,
            String table,
            String tag,
            @Nullable Long atVersion,
            @Nullable String token,
            @Nullable String description,
            @Nullable String lifetime,
            @Nullable Boolean protect)
            throws IOException {
        if (atVersion != null && token != null) {
            throw new ValidationException(
                    "procedure create_tag: give at_version or token, not both");
        }
        try (Warehouse opened = procedures.open();
                CollectionHandle collection = procedures.open(opened, "create_tag", table)) {
            Tag made =
                    new Tags(collection)
                            .create(
                                    tag,
                                    target(atVersion, token),
                                    new TagOptions(
                                            description == null ? "" : description,
                                            lifetime == null ? null : time(lifetime),
                                            Boolean.TRUE.equals(protect)));
            return new Row[] {
                Row.of(
                        made.name(),
                        made.version(),
                        made.expiresAtMs() == null
                                ? null
                                : Instant.ofEpochMilli(made.expiresAtMs()))
            };
        }
    }

    private static TagTarget target(@Nullable Long atVersion, @Nullable String token) {
        if (token != null) {
            return TagTarget.token(token);
        }
        return atVersion == null ? TagTarget.current() : TagTarget.version(atVersion);
    }

    private static Duration time(String text) {
        try {
            return TimeUtils.parseDuration(text);
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    "procedure create_tag: lifetime '"
                            + text
                            + "' is no time; write '30 d' or '12 h'",
                    e);
        }
    }
}
