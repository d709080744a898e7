package io.loam.s3;

import io.loam.store.object.ObjectNotFoundException;

import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.services.s3.model.S3Exception;

import java.io.IOException;
import java.io.InterruptedIOException;

/** What an exception of the SDK means for an object, in words that name bucket and key. */
final class S3Errors {
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;
    private static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int SERVER_ERROR = 500;

    private final S3Settings settings;

    S3Errors(S3Settings settings) {
        this.settings = settings;
    }

    /** The condition of a create-only put did not hold: the key is taken. */
    static boolean keyTaken(SdkException e) {
        return status(e) == PRECONDITION_FAILED;
    }

    static boolean absent(SdkException e) {
        return status(e) == NOT_FOUND && !"NoSuchBucket".equals(code(e));
    }

    static boolean beyondEnd(SdkException e) {
        return status(e) == RANGE_NOT_SATISFIABLE;
    }

    /**
     * Whether the request may have taken effect: the server failed, was silent, or met a rival. A
     * refusal of it never did.
     */
    static boolean outcomeUnknown(SdkException e) {
        int status = status(e);
        return status == 0 || status >= SERVER_ERROR || status == CONFLICT;
    }

    /** Whether an earlier attempt of the same call failed, and may have taken effect. */
    static boolean repeated(SdkException e) {
        return e.numAttempts() != null && e.numAttempts() > 1;
    }

    /**
     * @param what what was tried, such as {@code put}
     */
    IOException of(String what, String path, SdkException e) {
        if (e instanceof AbortedException || Thread.currentThread().isInterrupted()) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted: " + what + " " + uri(path));
            interrupted.initCause(e);
            return interrupted;
        }
        if (absent(e)) {
            ObjectNotFoundException notFound =
                    new ObjectNotFoundException(path + " (" + uri(path) + ")");
            notFound.initCause(e);
            return notFound;
        }
        return new IOException(
                "could not " + what + " " + uri(path) + ": " + reason(e) + advice(e), e);
    }

    private String uri(String path) {
        return "s3://" + settings.bucket() + "/" + settings.root() + path;
    }

    private static String reason(SdkException e) {
        int status = status(e);
        String code = code(e);
        String message = e.getMessage();
        if (status != 0) {
            return status + (code.isEmpty() ? "" : " " + code) + ", " + message;
        }
        return message;
    }

    private String advice(SdkException e) {
        if ("NoSuchBucket".equals(code(e))) {
            return "; make the bucket " + settings.bucket() + " first, or name another";
        }
        int status = status(e);
        if (status == FORBIDDEN || (status == BAD_REQUEST && code(e).contains("Token"))) {
            return "; check the keys and the permissions (docs/operations/s3.md)";
        }
        return "";
    }

    private static int status(SdkException e) {
        return e instanceof SdkServiceException ? ((SdkServiceException) e).statusCode() : 0;
    }

    private static String code(SdkException e) {
        if (e instanceof S3Exception s3 && s3.awsErrorDetails() != null) {
            String code = s3.awsErrorDetails().errorCode();
            return code == null ? "" : code;
        }
        return "";
    }
}
