package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.object.ObjectStore.Put;

import java.util.List;

/**
 * An apply commit ready to be stored: independent objects first, then the manifest that names them.
 */
record ApplyPlan(CollectionManifest manifest, List<Put> objects, Put manifestPut) {}
