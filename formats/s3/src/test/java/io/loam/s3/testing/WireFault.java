package io.loam.s3.testing;

/** What happens to a request on its way. */
public enum WireFault {
    NONE,
    /** The answer is 500; the server never hears of the request. */
    ERROR_BEFORE,
    /** The server does it, the answer is 500. */
    ERROR_AFTER,
    /** The connection breaks; the server never hears of the request. */
    DROP_BEFORE,
    /** The server does it, then the connection breaks without an answer. */
    DROP_AFTER,
    /** The server does it, the answer breaks off in the middle of its body. */
    CUT,
    /** Nothing is heard, and the server never hears of the request. */
    SILENT_BEFORE,
    /** The server does it, and nothing is heard. */
    SILENT_AFTER,
    /** All is well, only late. */
    SLOW
}
