package io.loam.jobs.cli;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.read.CollectionReader;
import io.loam.store.tag.Tags;

import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.io.IOException;

/** Which version a command reads: the live one unless another is named. */
final class VersionArguments {
    @Option(names = "--at", paramLabel = "<v>", description = "Of a retained version.")
    @Nullable
    Long version;

    @Option(names = "--tag", paramLabel = "<name>", description = "Of a tagged version.")
    @Nullable
    String tag;

    /** Whether another version than the live one may be meant. */
    boolean names() {
        return version != null || tag != null;
    }

    @Nullable
    Long at() {
        check();
        return version;
    }

    @Nullable
    String tag() {
        check();
        return tag;
    }

    private void check() {
        if (version != null && tag != null) {
            throw new CliException("give --at or --tag, not both");
        }
    }

    CollectionReader open(CollectionHandle handle) throws IOException {
        check();
        if (tag != null) {
            return CollectionReader.openTag(handle, tag);
        }
        return version == null
                ? CollectionReader.open(handle)
                : CollectionReader.open(handle, version);
    }

    CollectionManifest manifest(CollectionHandle handle) throws IOException {
        check();
        if (tag != null) {
            return new Tags(handle).open(tag);
        }
        return version == null ? handle.live().manifest() : new Tags(handle).openVersion(version);
    }
}
