package io.loam.flink.operators.maintain;

import io.loam.store.Warehouse;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.io.Serializable;

/** Opens the warehouse whose collections are maintained; travels with the job graph. */
@Internal
@FunctionalInterface
public interface WarehouseOpener extends Serializable {
    Warehouse open() throws IOException;
}
