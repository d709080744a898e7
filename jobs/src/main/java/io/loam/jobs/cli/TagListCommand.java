package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.Tags;

import picocli.CommandLine.Command;

import java.time.Instant;
import java.util.List;

/** Shows the tags of a collection. */
@Command(
        name = "list",
        description = "Show the tags of a collection, expired ones too.",
        mixinStandardHelpOptions = true)
final class TagListCommand extends CollectionCommand {
    @Override
    int run(CollectionHandle handle) throws Exception {
        List<Tag> tags = new Tags(handle).list();
        long clockMs = handle.metastore().clockMs();
        if (json) {
            tags.forEach(tag -> out().println(json(tag, tag.isExpired(clockMs))));
            return Loam.OK;
        }
        if (tags.isEmpty()) {
            out().println("no tags");
            return Loam.OK;
        }
        Table table = new Table("tag", "version", "created", "expires", "protects", "description");
        for (Tag tag : tags) {
            table.row(
                    tag.name(),
                    tag.version(),
                    Instant.ofEpochMilli(tag.createdAtMs()),
                    tag.expiresAtMs() == null
                            ? "never"
                            : tag.isExpired(clockMs)
                                    ? "expired"
                                    : Instant.ofEpochMilli(tag.expiresAtMs()),
                    tag.protect() ? "yes" : "no",
                    tag.description());
        }
        table.print(out());
        return Loam.OK;
    }

    static JsonOut json(Tag tag, boolean expired) {
        return new JsonOut()
                .put("tag", tag.name())
                .put("version", tag.version())
                .put("path", tag.path())
                .put("description", tag.description())
                .put("created_at_ms", tag.createdAtMs())
                .put("expires_at_ms", tag.expiresAtMs())
                .put("expired", expired)
                .put("protect", tag.protect());
    }
}
