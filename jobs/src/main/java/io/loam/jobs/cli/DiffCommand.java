package io.loam.jobs.cli;

import io.loam.codec.manifest.Action;
import io.loam.store.CollectionHandle;
import io.loam.store.history.History;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;

/** Shows the difference between two versions. */
@Command(
        name = "diff",
        description = "Show what turns one version into a later one.",
        mixinStandardHelpOptions = true)
final class DiffCommand extends CollectionCommand {
    @Parameters(index = "1", paramLabel = "<v1>", description = "The earlier version.")
    long from;

    @Parameters(index = "2", paramLabel = "<v2>", description = "The later version.")
    long to;

    @Option(names = "--steps", description = "The actions of every commit between, not the net.")
    boolean steps;

    @Override
    int run(CollectionHandle handle) throws Exception {
        History history = History.of(handle);
        List<Action> actions = steps ? history.steps(from, to) : history.diff(from, to);
        Table table = new Table("action", "details");
        for (Action action : actions) {
            String name = action.getClass().getSimpleName();
            String details = ActionText.details(action);
            if (json) {
                out().println(new JsonOut().put("action", name).put("details", details));
            }
            table.row(name, details);
        }
        if (!json) {
            if (table.isEmpty()) {
                out().println("no difference");
            } else {
                table.print(out());
            }
        }
        return Loam.OK;
    }
}
