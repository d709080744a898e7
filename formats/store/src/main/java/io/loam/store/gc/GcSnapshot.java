package io.loam.store.gc;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.object.ObjectInfo;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that planning looks at, in the order it was read: the listing, the clock, descriptors, the
 * pointer and what hangs on it.
 *
 * @param listing candidates; read first, so that whatever is in it was announced or named before
 *     the rest was read
 * @param descriptors by path; those that could not be found any more are left out
 * @param retained manifests that are retained and all they need
 * @param tagged manifests that are tagged and all they need
 * @param publishedUnits units that were published although no retained or tagged manifest names
 *     their files: none of their rows stayed, or not for long
 * @param listed what other manifests in the listing need
 * @param released manifests that were published before the oldest retained one or lost to them, and
 *     what these need, if an erasure released them
 * @param mainline files of the dataset's mainline versions
 * @param retired paths that were dropped, of the whole warehouse
 * @param damage what could not be read; then everything is kept
 */
record GcSnapshot(
        CollectionPaths paths,
        List<ObjectInfo> listing,
        long clockMs,
        Map<String, UnitDescriptor> descriptors,
        References retained,
        References tagged,
        Set<Ulid> publishedUnits,
        References listed,
        References released,
        References mainline,
        References retired,
        @Nullable String damage) {}
