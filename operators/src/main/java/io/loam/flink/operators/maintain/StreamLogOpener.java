package io.loam.flink.operators.maintain;

import io.loam.store.metastore.CollectionInfo;
import io.loam.store.trim.StreamLog;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.io.Serializable;

/** Opens streams of collections; travels with the job graph. */
@Internal
@FunctionalInterface
public interface StreamLogOpener extends Serializable {
    StreamLog open(CollectionInfo collection) throws IOException;
}
