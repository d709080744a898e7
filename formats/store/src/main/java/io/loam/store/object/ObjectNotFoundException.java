package io.loam.store.object;

import java.io.IOException;

/** No object has that path. */
public class ObjectNotFoundException extends IOException implements Permanent {
    private static final long serialVersionUID = 1L;

    public ObjectNotFoundException(String path) {
        super("no object at " + path);
    }
}
