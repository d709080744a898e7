package io.loam.store.tag;

import java.io.IOException;

/** No version holds yet what a consistency token asks for. */
public class TokenNotCoveredException extends IOException {
    private static final long serialVersionUID = 1L;

    public TokenNotCoveredException(String message) {
        super(message);
    }
}
