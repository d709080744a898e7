package io.loam.store.object;

import java.io.IOException;

/** A create-only put met an object that is already there. */
public class ObjectExistsException extends IOException implements Permanent {
    private static final long serialVersionUID = 1L;

    public ObjectExistsException(String path) {
        super("an object already exists at " + path);
    }
}
