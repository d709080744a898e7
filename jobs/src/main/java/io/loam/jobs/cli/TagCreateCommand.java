package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import javax.annotation.Nullable;

import java.time.Instant;

/** Names a version. */
@Command(
        name = "create",
        description = "Name a version; it stays readable until the tag is deleted or expires.",
        mixinStandardHelpOptions = true)
final class TagCreateCommand extends CollectionCommand {
    @Parameters(index = "1", paramLabel = "<name>", description = "Name of the tag.")
    String name;

    @Option(names = "--at", paramLabel = "<v>", description = "A retained version.")
    @Nullable
    Long version;

    @Option(
            names = "--token",
            paramLabel = "<token>",
            description = "The version that covers this consistency token; waits up to 30 s.")
    @Nullable
    String token;

    @Option(
            names = "--description",
            paramLabel = "<text>",
            defaultValue = "",
            description = "What it is for.")
    String description;

    @Option(
            names = "--for",
            paramLabel = "<time>",
            description = "How long it stands, such as 30d; default: until it is deleted.")
    @Nullable
    String lifetime;

    @Option(names = "--protect", description = "The collection cannot be dropped meanwhile.")
    boolean protect;

    @Override
    int run(CollectionHandle handle) throws Exception {
        Tag tag;
        try {
            tag = new Tags(handle).create(name, target(), options());
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
        if (json) {
            out().println(TagListCommand.json(tag, false));
        } else {
            out().println(
                            "tag "
                                    + tag.name()
                                    + " names version "
                                    + tag.version()
                                    + (tag.expiresAtMs() == null
                                            ? ""
                                            : " until " + Instant.ofEpochMilli(tag.expiresAtMs())));
        }
        return Loam.OK;
    }

    private TagTarget target() {
        if (version != null && token != null) {
            throw new CliException("give --at or --token, not both");
        }
        if (token != null) {
            return TagTarget.token(token);
        }
        return version == null ? TagTarget.current() : TagTarget.version(version);
    }

    private TagOptions options() {
        return new TagOptions(
                description,
                lifetime == null ? null : TimeOption.parse("--for", lifetime),
                protect);
    }
}
