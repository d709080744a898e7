package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.tag.Tags;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes a name back. */
@Command(
        name = "delete",
        description = "Delete a tag; its version stays only if it is retained or has another tag.",
        mixinStandardHelpOptions = true)
final class TagDeleteCommand extends CollectionCommand {
    @Parameters(index = "1", paramLabel = "<name>", description = "Name of the tag.")
    String name;

    @Override
    int run(CollectionHandle handle) throws Exception {
        new Tags(handle).delete(name);
        out().println(json ? new JsonOut().put("deleted", name) : "deleted tag " + name);
        return Loam.OK;
    }
}
