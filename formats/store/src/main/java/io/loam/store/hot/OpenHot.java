package io.loam.store.hot;

import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.RowIdSet;
import io.loam.store.spi.HotGraph;

/** An artifact whose graph is open. */
record OpenHot(String prefix, HotDescriptor descriptor, RowIdSet covered, HotGraph graph) {}
