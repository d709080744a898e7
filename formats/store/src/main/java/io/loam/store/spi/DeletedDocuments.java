package io.loam.store.spi;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;

/** The deleted documents of a split, possibly still being read. */
@FunctionalInterface
public interface DeletedDocuments {
    /** Waits for them; null or empty for none. */
    @Nullable
    RoaringBitmap await() throws IOException;
}
