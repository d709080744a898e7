package io.loam.flink.operators.maintain;

import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;

import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Which collections are maintained.
 *
 * @param names of collections of the namespace; empty for all of the moment
 */
@Internal
public record CollectionSelection(String namespace, List<String> names) implements Serializable {
    private static final long serialVersionUID = 1L;

    public CollectionSelection {
        names = List.copyOf(names);
    }

    /** The collections there are now; one that was dropped meanwhile is left out. */
    public List<CollectionInfo> find(Metastore metastore) throws MetastoreException {
        if (names.isEmpty()) {
            return metastore.collections(namespace);
        }
        List<CollectionInfo> found = new ArrayList<>();
        for (String name : names) {
            metastore.findCollection(namespace, name).ifPresent(found::add);
        }
        return found;
    }
}
