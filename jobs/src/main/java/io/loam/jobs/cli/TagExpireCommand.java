package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.metastore.Tag;
import io.loam.store.tag.Tags;

import picocli.CommandLine.Command;

import java.util.List;

/** Removes tags that have ended. */
@Command(
        name = "expire",
        description = "Remove the tags that have expired from the list.",
        mixinStandardHelpOptions = true)
final class TagExpireCommand extends CollectionCommand {
    @Override
    int run(CollectionHandle handle) throws Exception {
        List<String> names = new Tags(handle).expire().stream().map(Tag::name).toList();
        out().println(
                        json
                                ? new JsonOut().put("deleted", names)
                                : names.isEmpty()
                                        ? "no tag has expired"
                                        : "deleted " + String.join(", ", names));
        return Loam.OK;
    }
}
