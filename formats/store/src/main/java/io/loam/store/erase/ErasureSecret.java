package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;

/**
 * The secret that keys are hashed with. Whoever has it and a record can try keys; so it is kept
 * outside the warehouse. Not for several threads.
 */
public final class ErasureSecret {
    /** Bytes of a secret. */
    public static final int BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private final Mac mac;

    /**
     * @param secret {@link #BYTES} bytes
     */
    public ErasureSecret(byte[] secret) {
        if (secret.length != BYTES) {
            throw new IllegalArgumentException(
                    "the secret of erasures has " + BYTES + " bytes, not " + secret.length);
        }
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JRE has " + ALGORITHM, e);
        }
    }

    /**
     * Reads a secret.
     *
     * @throws IllegalArgumentException if the file holds something else
     */
    public static ErasureSecret read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    file
                            + " is no secret of erasures: it has "
                            + bytes.length
                            + " bytes, not "
                            + BYTES);
        }
        return new ErasureSecret(bytes);
    }

    /** Reads a secret, or makes one that only the owner of the file can read. */
    public static ErasureSecret readOrCreate(Path file) throws IOException {
        if (!Files.exists(file)) {
            byte[] secret = new byte[BYTES];
            new SecureRandom().nextBytes(secret);
            try {
                if (Files.getFileStore(file.toAbsolutePath().getParent())
                        .supportsFileAttributeView("posix")) {
                    Files.createFile(
                            file,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
                } else {
                    Files.createFile(file);
                }
                Files.write(file, secret, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException e) {
                return read(file); // another one was first
            }
        }
        return read(file);
    }

    /** Hash of a canonical key. */
    public byte[] hash(byte[] canonicalKey) {
        return mac.doFinal(canonicalKey);
    }

    /** What a record keeps to tell whether a secret is the one it was made with. */
    public byte[] check(Ulid erasure) {
        return mac.doFinal(("erasure " + erasure).getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * @throws IllegalArgumentException if the record was made with another secret
     */
    public void requireOf(ErasureRequest request) {
        if (!java.security.MessageDigest.isEqual(check(request.id()), request.check())) {
            throw new IllegalArgumentException(
                    "erasure "
                            + request.id()
                            + " was requested with another secret; without that one nobody can"
                            + " tell which keys it is about");
        }
    }
}
