package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.store.CollectionHandle;
import io.loam.store.scan.ScanPlan;
import io.loam.store.scan.ScanPlanner;
import io.loam.store.tag.TagTarget;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.util.HashMap;
import java.util.Map;

/** Tells readers without Loam how to read a version. */
@Command(
        name = "scan-plan",
        description = {
            "Print as JSON what a reader with nothing but Lance needs to read a version.",
            "With --brokers also what the stream holds beyond it."
        },
        mixinStandardHelpOptions = true)
final class ScanPlanCommand extends CollectionCommand {
    @Mixin VersionArguments version;
    @Mixin BrokerArguments brokers;

    @Option(
            names = "--token",
            paramLabel = "<token>",
            description = "The version that covers this consistency token; waits up to 10 s.")
    @Nullable
    String token;

    @Override
    int run(CollectionHandle handle) throws Exception {
        if (version.names() && token != null) {
            throw new CliException("give one of --at, --tag and --token");
        }
        ScanPlan plan;
        try {
            plan = plan(new ScanPlanner(handle, ends(handle)));
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
        out().println(Json.text(plan.json()));
        return Loam.OK;
    }

    private ScanPlan plan(ScanPlanner planner) throws Exception {
        if (token != null) {
            return planner.plan(TagTarget.token(token));
        }
        if (version.tag() != null) {
            return planner.planTagged(version.tag());
        }
        return planner.plan(
                version.at() == null ? TagTarget.current() : TagTarget.version(version.at()));
    }

    @Nullable
    private Map<Integer, Long> ends(CollectionHandle handle) throws Exception {
        if (!brokers.external()) {
            return null;
        }
        Map<Integer, Long> ends = new HashMap<>();
        try (Topic topic = new Topic(brokers.brokers, handle.info())) {
            long[] offsets = topic.endOffsets();
            for (int p = 0; p < offsets.length; p++) {
                ends.put(p, offsets[p]);
            }
        }
        return ends;
    }
}
