package io.loam.s3;

import software.amazon.awssdk.core.sync.RequestBody;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Bytes to put, which can be read again from any position. */
interface S3Content {
    long size();

    /** The bytes from {@code offset} on. */
    InputStream from(long offset) throws IOException;

    /** A part of them as the body of a request. */
    default RequestBody body(long offset, long length) {
        return RequestBody.fromContentProvider(
                () -> {
                    try {
                        return new BoundedStream(from(offset), length);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                },
                length,
                "application/octet-stream");
    }

    static S3Content of(byte[] bytes) {
        return new S3Content() {
            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public InputStream from(long offset) {
                int start = (int) offset;
                return new ByteArrayInputStream(bytes, start, bytes.length - start);
            }
        };
    }

    /** The file as it is now; it must not change meanwhile. */
    static S3Content of(Path file) throws IOException {
        long size = Files.size(file);
        return new S3Content() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public InputStream from(long offset) throws IOException {
                FileChannel channel = FileChannel.open(file);
                try {
                    return Channels.newInputStream(channel.position(offset));
                } catch (IOException e) {
                    channel.close();
                    throw e;
                }
            }
        };
    }
}
