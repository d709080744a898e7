package io.loam.flink.operators;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.io.Serializable;

/** Opens the collection a job works on; travels with the job graph. */
@Internal
@FunctionalInterface
public interface CollectionOpener extends Serializable {
    OpenedCollection open() throws IOException;
}
