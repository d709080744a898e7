package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.hot.HotCoverageCodec;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.HotDescriptorCodec;
import io.loam.codec.hot.RowIdSet;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Hnsw;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roaringbitmap.RoaringBitmap;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Every case of envelopes.json in scope. Left out, and only this: {@code pk_index}, which keyed
 * state replaces (architecture D10).
 */
class EnvelopesGoldenTest {
    private static final Golden FILE = Golden.file("envelopes.json");

    private static final Set<String> SECTIONS =
            Set.of(
                    "provenance",
                    "layout",
                    "crc32c_check",
                    "objects",
                    "opcm_rejects",
                    "opcm_accepts",
                    "flip_rule",
                    "pk_index");

    private static final Map<String, String> ERRORS =
            Map.of(
                    "Corrupt: commit kind unspecified", "commit kind: found unspecified",
                    "Corrupt: ulid is not 16 bytes", "ulid: found 3 bytes, expected 16",
                    "Corrupt: unknown format version 2", "unknown format version 2",
                    "Corrupt: magic", "wrong magic: found OPPD, expected OPCM",
                    "Corrupt: too short (10 is the minimum)", "found 9 bytes, expected at least 10",
                    "Corrupt", "expected");

    private static final Map<String, String> DETAILS =
            Map.of(
                    "overlap_in_split", "row ids: found [4, 8)",
                    "unsorted", "row ids: found [0, 5)",
                    "empty_range", "row ids: found [7, 7)",
                    "count_mismatch", "row ids in ranges: found 5, expected doc_count 6",
                    "overlap_across", "row ids of two splits: found [0, 5) and [3, 9)",
                    "overlap_across_2", "row ids of two splits: found [20, 30) and [25, 26)",
                    "footer_backwards", "footer_start: found 10, expected at most footer_end 9");

    private static final Map<String, Function<byte[], Object>> DECODERS =
            Map.of(
                    "OPCM", bytes -> ManifestCodec.decode(bytes, "x"),
                    "OPDB", bytes -> DeleteBitmapCodec.decode(bytes, "x"),
                    "OPPD", bytes -> PkDeltaCodec.decode(bytes, "x"),
                    "OPDL", bytes -> DeadLetterCodec.decode(bytes, "x"),
                    "OPHC", bytes -> HotCoverageCodec.decode(bytes, "x"),
                    "OPHD", bytes -> HotDescriptorCodec.decode(bytes, "x"));

    @Test
    void everySectionIsKnown() {
        assertThat(FILE.members().keySet()).isEqualTo(SECTIONS);
        assertThat(FILE.get("flip_rule").text())
                .isEqualTo(
                        "flipping any single bit of any envelope above (magic, version, body or"
                                + " crc) must be refused; so must dropping or adding a trailing"
                                + " byte");
    }

    @Test
    void checksumIsCastagnoli() {
        CRC32C crc = new CRC32C();
        Golden check = FILE.get("crc32c_check");
        crc.update(check.get("ascii").text().getBytes(StandardCharsets.US_ASCII));
        assertThat(String.format("%08x", crc.getValue())).isEqualTo(check.get("crc32c_hex").text());
    }

    static Stream<Golden> objects() {
        return FILE.get("objects").list().stream();
    }

    @ParameterizedTest
    @MethodSource("objects")
    void objectsDecodeAndEncode(Golden object) throws Exception {
        byte[] bytes = bytes(object);
        assertThat(bytes).hasSize((int) object.get("len").u64());
        assertThat(storedChecksum(bytes)).isEqualTo(object.get("crc32c_hex").text());
        switch (object.get("magic").text()) {
            case "OPDB" -> {
                DeleteBitmap expected = bitmap(object);
                assertThat(DeleteBitmapCodec.decode(bytes, "x")).isEqualTo(expected);
                assertThat(DeleteBitmapCodec.encode(expected)).isEqualTo(bytes);
            }
            case "OPPD" -> {
                List<PkDelta.Entry> entries = new ArrayList<>(entries(object));
                assertThat(PkDeltaCodec.decode(bytes, "x").entries()).isEqualTo(entries);
                Collections.reverse(entries);
                assertThat(PkDeltaCodec.encode(PkDelta.of(entries))).isEqualTo(bytes);
            }
            case "OPDL" -> {
                List<DeadLetter> letters = new ArrayList<>(letters(object));
                assertThat(DeadLetterCodec.decode(bytes, "x"))
                        .usingRecursiveComparison()
                        .isEqualTo(letters);
                Collections.reverse(letters);
                assertThat(DeadLetterCodec.encode(letters)).isEqualTo(bytes);
            }
            case "OPHC" -> {
                RowIdSet expected = new RowIdSet();
                object.get("rows").list().forEach(row -> expected.add(row.u64()));
                assertThat(HotCoverageCodec.decode(bytes, "x")).isEqualTo(expected);
                assertThat(HotCoverageCodec.encode(expected)).isEqualTo(bytes);
            }
            case "OPHD" -> {
                HotDescriptor expected = descriptor(object.get("descriptor"));
                assertThat(HotDescriptorCodec.decode(bytes, "x")).isEqualTo(expected);
                assertThat(HotDescriptorCodec.encode(expected)).isEqualTo(bytes);
            }
            case "OPCM" -> {
                CollectionManifest expected = manifest(object.get("manifest"));
                assertThat(ManifestCodec.decode(bytes, "x")).isEqualTo(expected);
                // how a map's entries are written is an encoder's choice, so no bytes are compared
                assertThat(ManifestCodec.decode(ManifestCodec.encode(expected), "x"))
                        .isEqualTo(expected);
            }
            default -> throw new AssertionError("unknown magic " + object.get("magic").text());
        }
    }

    @ParameterizedTest
    @MethodSource("objects")
    void everyFlippedBitAndChangedLengthIsRefused(Golden object) throws Exception {
        byte[] bytes = bytes(object);
        Function<byte[], Object> decoder = DECODERS.get(object.get("magic").text());
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> decoder.apply(flipped))
                    .as("bit " + bit)
                    .isInstanceOf(CorruptException.class);
        }
        byte[] shorter = Arrays.copyOf(bytes, bytes.length - 1);
        assertThatThrownBy(() -> decoder.apply(shorter)).isInstanceOf(CorruptException.class);
        for (int added = 0; added < 256; added++) {
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            longer[bytes.length] = (byte) added;
            assertThatThrownBy(() -> decoder.apply(longer))
                    .as("byte " + added)
                    .isInstanceOf(CorruptException.class);
        }
    }

    static Stream<Golden> rejects() {
        return FILE.get("opcm_rejects").list().stream();
    }

    @ParameterizedTest
    @MethodSource("rejects")
    void brokenManifestsAreRefused(Golden reject) {
        String error = reject.get("error").text();
        assertThat(ERRORS).containsKey(error);
        String message = error.equals("Corrupt") ? DETAILS.get(reject.name()) : ERRORS.get(error);
        assertThat(message).as("a message for " + reject.name()).isNotNull();
        assertThatThrownBy(() -> ManifestCodec.decode(reject.get("hex").hex(), "the/path.pb"))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(message)
                .hasMessageStartingWith("the/path.pb: ");
    }

    static Stream<Golden> accepts() {
        return FILE.get("opcm_accepts").list().stream();
    }

    @ParameterizedTest
    @MethodSource("accepts")
    void oddManifestsAreRead(Golden accept) {
        CollectionManifest manifest = ManifestCodec.decode(accept.get("hex").hex(), "x");
        assertThat(manifest.splits().stream().map(SplitRef::ranges))
                .containsExactly(List.of(new RowIdRange(0, 5)), List.of(new RowIdRange(5, 9)));
    }

    private static byte[] bytes(Golden object) throws Exception {
        if (object.has("hex")) {
            return object.get("hex").hex();
        }
        byte[] bytes = DeleteBitmapCodec.encode(bitmap(object));
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
        assertThat(HexFormat.of().formatHex(hash)).isEqualTo(object.get("sha256").text());
        return bytes;
    }

    private static String storedChecksum(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= 4; i++) {
            text.append(String.format("%02x", bytes[bytes.length - i]));
        }
        return text.toString();
    }

    private static DeleteBitmap bitmap(Golden object) {
        Ulid split =
                object.has("split_ulid_text")
                        ? Ulid.parse(object.get("split_ulid_text").text())
                        : Ulid.parse("01081G81860W40J2GB1G6GW3RG");
        RoaringBitmap deleted = new RoaringBitmap();
        if (object.has("deleted_rule")) {
            assertThat(object.get("deleted_rule").text())
                    .isEqualTo("every even id below 10000 (5000 ids, one bitmap container)");
            for (int id = 0; id < 10000; id += 2) {
                deleted.add(id);
            }
        } else {
            object.get("deleted").list().forEach(id -> deleted.add((int) id.u64()));
        }
        return new DeleteBitmap(split, object.get("doc_count").u64(), deleted);
    }

    private static List<PkDelta.Entry> entries(Golden object) {
        return object.get("entries").list().stream()
                .map(
                        e ->
                                new PkDelta.Entry(
                                        PrimaryKey.parseCanonical(e.get("key_hex").hex()),
                                        e.get("row_id").isNull() ? null : e.get("row_id").u64()))
                .toList();
    }

    private static List<DeadLetter> letters(Golden object) {
        return object.get("letters").list().stream()
                .map(
                        l ->
                                new DeadLetter(
                                        (int) l.get("partition").u64(),
                                        l.get("offset").u64(),
                                        l.get("key_hex").isNull() ? null : l.get("key_hex").hex(),
                                        l.get("value_hex").isNull()
                                                ? null
                                                : l.get("value_hex").hex(),
                                        l.get("reason").text()))
                .toList();
    }

    private static HotDescriptor descriptor(Golden d) {
        Golden spec = d.get("spec");
        Golden hnsw = spec.get("hnsw");
        assertThat(hnsw.get("payload_m").isNull()).isTrue();
        assertThat(spec.get("quantization").isNull()).isTrue();
        return new HotDescriptor(
                d.get("engine").text(),
                d.get("collection").u64(),
                d.get("column").text(),
                d.get("vector").text(),
                new HotDescriptor.Spec(
                        (int) spec.get("dim").u64(),
                        constant(Distance.class, spec.get("distance")),
                        new Hnsw(
                                hnsw.get("m").u64(),
                                hnsw.get("ef_construct").u64(),
                                hnsw.get("full_scan_threshold_kb").u64(),
                                null,
                                ((JsonBoolean) hnsw.get("on_disk").value()).value()),
                        null,
                        spec.get("payload_fields").list().stream()
                                .map(
                                        f ->
                                                new HotDescriptor.PayloadField(
                                                        f.get("key").text(),
                                                        constant(
                                                                HotDescriptor.PayloadKind.class,
                                                                f.get("kind"))))
                                .toList(),
                        spec.get("indexing_threads").u64()),
                d.get("source_version").u64(),
                d.get("lance_version").u64(),
                d.get("next_row_id").u64(),
                d.get("points").u64(),
                d.get("scanned").u64(),
                d.get("files").list().stream()
                        .map(
                                f ->
                                        new HotDescriptor.File(
                                                f.get("path").text(),
                                                f.get("size").u64(),
                                                (int) f.get("crc32c").u64(),
                                                (int) f.get("chunks").u64()))
                        .toList(),
                d.get("covered_len").u64(),
                (int) d.get("covered_crc32c").u64(),
                d.get("chunk_bytes").u64(),
                d.get("created_at_ms").u64());
    }

    private static <E extends Enum<E>> E constant(Class<E> type, Golden name) {
        return Enum.valueOf(type, name.text().toUpperCase(Locale.ROOT));
    }

    private static CollectionManifest manifest(Golden m) {
        return new CollectionManifest(
                m.get("version").u64(),
                m.get("parent_version").u64(),
                m.get("collection_id").u64(),
                m.get("schema_version").u64(),
                m.get("created_at_ms").u64(),
                m.get("lance_version").u64(),
                m.get("splits").list().stream().map(EnvelopesGoldenTest::split).toList(),
                optionalList(m, "vector_indexes").map(EnvelopesGoldenTest::vectorIndex).toList(),
                optionalList(m, "hot_artifacts").map(EnvelopesGoldenTest::hotArtifact).toList(),
                m.get("applied").offsets(),
                m.get("live_doc_count").u64(),
                m.get("parent_manifest").text(),
                ManifestMessages.commitKind((int) m.get("kind").u64()),
                m.text("pk_delta", ""),
                m.text("dead_letters", ""),
                m.u64("dead_letters_total", 0),
                m.u64("skipped_offsets_total", 0),
                optionalList(m, "scalar_indexes").map(EnvelopesGoldenTest::scalarIndex).toList(),
                null,
                "",
                Map.of(),
                0);
    }

    private static Stream<Golden> optionalList(Golden object, String key) {
        return object.has(key) ? object.get(key).list().stream() : Stream.empty();
    }

    private static SplitRef split(Golden s) {
        String ulid = s.get("ulid").text();
        return new SplitRef(
                ulid.length() == 26 ? Ulid.parse(ulid) : new Ulid(0, Long.parseLong(ulid)),
                s.get("doc_count").u64(),
                s.get("deleted_count").u64(),
                s.get("size_bytes").u64(),
                s.get("footer").list().get(0).u64(),
                s.get("footer").list().get(1).u64(),
                s.get("ranges").ranges(),
                s.text("delete_bitmap", ""),
                s.get("schema_version").u64(),
                s.get("created_at_ms").u64(),
                (int) s.get("merge_ops").u64(),
                0);
    }

    private static VectorIndexRef vectorIndex(Golden i) {
        return new VectorIndexRef(
                i.get("column").text(),
                i.get("uuid").text(),
                i.get("upto").u64(),
                i.get("name").text(),
                i.get("vector").text(),
                VectorIndexRef.Kind.values()[(int) i.get("kind").u64() - 1]);
    }

    private static ScalarIndexRef scalarIndex(Golden i) {
        return new ScalarIndexRef(
                i.get("column").text(),
                i.get("uuid").text(),
                i.get("upto").u64(),
                i.get("name").text());
    }

    private static HotArtifactRef hotArtifact(Golden h) {
        return new HotArtifactRef(
                h.get("kind").text(),
                h.get("column").text(),
                h.get("prefix").text(),
                h.get("source_version").u64());
    }
}
