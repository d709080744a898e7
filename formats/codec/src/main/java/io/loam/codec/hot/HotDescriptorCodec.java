package io.loam.codec.hot;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.hot.HotDescriptor.File;
import io.loam.codec.hot.HotDescriptor.PayloadField;
import io.loam.codec.hot.HotDescriptor.PayloadKind;
import io.loam.codec.hot.HotDescriptor.Spec;
import io.loam.codec.manifest.OptionCodec;
import io.loam.codec.postcard.PostcardException;
import io.loam.codec.postcard.PostcardReader;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Quantization;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Descriptors of hot artifacts, envelope {@code OPHD}. Body, in postcard:
 *
 * <pre>
 * engine           string
 * collection       u64
 * column, vector   string
 * dim              u32
 * distance         enum: 0 cosine, 1 dot, 2 euclid, 3 manhattan
 * hnsw             u64 m; u64 ef_construct; u64 full_scan_threshold_kb; option u64 payload_m;
 *                  bool on_disk
 * quantization     option enum: 0 scalar (option u64 quantile_ppm; bool always_ram),
 *                  1 product (u64 compression_ratio; bool always_ram), 2 binary (bool always_ram)
 * payload fields   count; string key, enum kind: 0 keyword, 1 integer, 2 bool, 3 uuid
 * threads          u64
 * source version, Lance version, next row id, points, scanned   u64
 * files            count; string path, u64 size, u32 crc32c, u32 chunks
 * covered          u64 bytes; u32 crc32c
 * chunk bytes, created at   u64
 * </pre>
 *
 * Checked beyond that: paths of files stay below the artifact and are different, the chunks of a
 * file are as many as its size needs, at least one.
 */
public final class HotDescriptorCodec {
    private static final int MIN_FILE_BYTES = 4;
    private static final int MIN_FIELD_BYTES = 2;
    private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

    private HotDescriptorCodec() {}

    public static byte[] encode(HotDescriptor descriptor) {
        PostcardWriter out = new PostcardWriter();
        out.string(descriptor.engine())
                .u64(descriptor.collection())
                .string(descriptor.column())
                .string(descriptor.vector());
        writeSpec(out, descriptor.spec());
        out.u64(descriptor.sourceVersion())
                .u64(descriptor.lanceVersion())
                .u64(descriptor.nextRowId())
                .u64(descriptor.points())
                .u64(descriptor.scanned())
                .size(descriptor.files().size());
        for (File file : descriptor.files()) {
            out.string(file.path()).u64(file.size()).u32(file.crc32c()).u32(file.chunks());
        }
        out.u64(descriptor.coveredBytes())
                .u32(descriptor.coveredCrc32c())
                .u64(descriptor.chunkBytes())
                .u64(descriptor.createdAtMs());
        return Envelope.wrap(Envelope.Type.OPHD, out.toByteArray());
    }

    /**
     * @throws CorruptException if the bytes are damaged
     */
    public static HotDescriptor decode(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPHD, object, path);
        HotDescriptor descriptor;
        try {
            PostcardReader in = new PostcardReader(body);
            descriptor =
                    new HotDescriptor(
                            in.string(),
                            in.u64(),
                            in.string(),
                            in.string(),
                            readSpec(in),
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            in.u64(),
                            readFiles(in),
                            in.u64(),
                            in.u32(),
                            in.u64(),
                            in.u64());
            in.expectEnd();
        } catch (PostcardException e) {
            throw new CorruptException(path + ": hot artifact: " + e.getMessage(), e);
        }
        check(descriptor, path);
        return descriptor;
    }

    private static void check(HotDescriptor descriptor, String path) {
        Set<String> paths = new HashSet<>();
        for (File file : descriptor.files()) {
            for (String segment : file.path().split("/", -1)) {
                if (!SEGMENT.matcher(segment).matches()) {
                    throw corrupt(path, "path of a file", file.path(), "a relative path");
                }
            }
            if (!paths.add(file.path())) {
                throw corrupt(path, "file", file.path(), "each once");
            }
            long chunks = chunks(file.size(), descriptor.chunkBytes());
            if (file.chunks() != chunks) {
                throw corrupt(
                        path,
                        "chunks of " + file.path(),
                        Integer.toUnsignedString(file.chunks()),
                        Long.toUnsignedString(chunks));
            }
        }
    }

    /** How many chunks a file of so many bytes has; all unsigned. */
    public static long chunks(long size, long chunkBytes) {
        return size == 0 || chunkBytes == 0 ? 1 : Long.divideUnsigned(size - 1, chunkBytes) + 1;
    }

    private static void writeSpec(PostcardWriter out, Spec spec) {
        out.u32(spec.dim()).size(spec.distance().ordinal());
        out.u64(spec.hnsw().m())
                .u64(spec.hnsw().efConstruct())
                .u64(spec.hnsw().fullScanThresholdKb());
        OptionCodec.writeU64(out, spec.hnsw().payloadM());
        out.bool(spec.hnsw().onDisk()).bool(spec.quantization() != null);
        writeQuantization(out, spec.quantization());
        out.size(spec.payloadFields().size());
        for (PayloadField field : spec.payloadFields()) {
            out.string(field.key()).size(field.kind().ordinal());
        }
        out.u64(spec.indexingThreads());
    }

    private static void writeQuantization(PostcardWriter out, @Nullable Quantization how) {
        if (how instanceof Quantization.Scalar scalar) {
            OptionCodec.writeU64(out.size(0), scalar.quantilePpm());
            out.bool(scalar.alwaysRam());
        } else if (how instanceof Quantization.Product product) {
            out.size(1).u64(product.compressionRatio()).bool(product.alwaysRam());
        } else if (how instanceof Quantization.Binary binary) {
            out.size(2).bool(binary.alwaysRam());
        }
    }

    private static Spec readSpec(PostcardReader in) {
        return new Spec(
                in.u32(),
                constant(Distance.values(), in.u32()),
                new Hnsw(in.u64(), in.u64(), in.u64(), OptionCodec.readU64(in), in.bool()),
                in.option() ? readQuantization(in) : null,
                readPayload(in),
                in.u64());
    }

    private static Quantization readQuantization(PostcardReader in) {
        int variant = in.u32();
        return switch (variant) {
            case 0 -> new Quantization.Scalar(OptionCodec.readU64(in), in.bool());
            case 1 -> new Quantization.Product(in.u64(), in.bool());
            case 2 -> new Quantization.Binary(in.bool());
            default ->
                    throw new PostcardException(
                            "a quantization is 0 to 2, not " + Integer.toUnsignedString(variant));
        };
    }

    private static List<PayloadField> readPayload(PostcardReader in) {
        List<PayloadField> fields = new ArrayList<>();
        int count = in.count(MIN_FIELD_BYTES);
        for (int i = 0; i < count; i++) {
            fields.add(new PayloadField(in.string(), constant(PayloadKind.values(), in.u32())));
        }
        return fields;
    }

    private static List<File> readFiles(PostcardReader in) {
        List<File> files = new ArrayList<>();
        int count = in.count(MIN_FILE_BYTES);
        for (int i = 0; i < count; i++) {
            files.add(new File(in.string(), in.u64(), in.u32(), in.u32()));
        }
        return files;
    }

    private static <E> E constant(E[] constants, int ordinal) {
        if (ordinal < 0 || ordinal >= constants.length) {
            throw new PostcardException(
                    "one of "
                            + List.of(constants)
                            + " has no number "
                            + Integer.toUnsignedString(ordinal));
        }
        return constants[ordinal];
    }

    private static CorruptException corrupt(
            String path, String what, Object found, Object expected) {
        return new CorruptException(
                path + ": hot artifact: " + what + ": found " + found + ", expected " + expected);
    }
}
