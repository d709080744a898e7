package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.manifest.Seeds;
import io.loam.codec.proto.LanceManifestProto.Manifest;

import com.google.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Manifests written by Lance 7.0.0 itself: an empty version 1, and a detached version in which
 * Lance has appended five rows and deleted the second and the fourth.
 */
class LanceFixtureTest {
    private static final long DETACHED = Long.parseUnsignedLong("9656647426630295151");
    private static final int UNKNOWN_FIELD = 4000;
    private static final int FLIPS = 4000;

    @Test
    void readsTheEmptyVersionOne() throws IOException {
        LanceManifest manifest = LanceManifest.parse(fixture("version-1"), "one");
        assertThat(manifest.version()).isEqualTo(1);
        assertThat(manifest.fragments()).isEmpty();
        assertThat(manifest.nextRowId()).isZero();
        assertThat(manifest.maxFragmentId()).isEqualTo(-1);
        assertThat(manifest.indexIds()).isEmpty();
        assertThat(manifest.locator().locate(0)).isEmpty();
    }

    @Test
    void readsADetachedVersion() throws IOException {
        LanceManifest manifest = LanceManifest.parse(fixture("detached"), "detached");
        assertThat(manifest.version()).isEqualTo(DETACHED);
        assertThat(manifest.nextRowId()).isEqualTo(5);
        assertThat(manifest.countLive()).isEqualTo(3);
        assertThat(manifest.fragments())
                .containsExactly(
                        new LanceFragment(
                                0,
                                5,
                                2,
                                List.of(
                                        "data/111001010001001100011011cfdb164d8f868a86db58035d10"
                                                + ".lance"),
                                "_deletions/0-9757169156890409839-11542177737768613514.arrow"));
        assertThat(manifest.files())
                .hasSize(3)
                .contains("_deletions/0-9757169156890409839-11542177737768613514.arrow")
                .anyMatch(file -> file.matches("_transactions/.+\\.txn"));
        for (long rowId = 0; rowId < 5; rowId++) {
            assertThat(manifest.locator().locate(rowId)).contains(new RowAddress(0, rowId));
        }
        assertThat(manifest.locator().locate(5)).isEmpty();
    }

    @Test
    void keepsWhatLanceWroteInTheNextVersion() throws IOException {
        byte[] file = fixture("detached");
        Manifest before = message(file);
        Edited edited =
                LanceManifest.parse(file, "detached")
                        .edit(-2, path -> new byte[0])
                        .addFragment("a.lance", 77, List.of(), 1000, 4)
                        .finish(1004, 5);
        Manifest after = message(edited.manifest());
        assertThat(after.getFragments(0)).isEqualTo(before.getFragments(0));
        assertThat(after.getFieldsList()).isEqualTo(before.getFieldsList());
        assertThat(after.getUnknownFields()).isEqualTo(before.getUnknownFields());
        assertThat(after.getFragments(1).getId()).isEqualTo(1);
        assertThat(edited.removedFragments()).isEmpty();
        assertThat(edited.updatedFragments()).isEmpty();
        assertThat(
                        Arrays.copyOfRange(
                                edited.manifest(),
                                edited.manifest().length - 8,
                                edited.manifest().length))
                .isEqualTo(Arrays.copyOfRange(file, file.length - 8, file.length));
    }

    @Test
    void keepsFieldsOfALaterLance() throws IOException {
        UnknownFieldSet later =
                UnknownFieldSet.newBuilder()
                        .addField(
                                UNKNOWN_FIELD,
                                UnknownFieldSet.Field.newBuilder().addVarint(42).build())
                        .build();
        Manifest.Builder manifest = message(fixture("detached")).toBuilder();
        manifest.mergeUnknownFields(later);
        manifest.getFragmentsBuilder(0).mergeUnknownFields(later);
        manifest.getFieldsBuilder(0).mergeUnknownFields(later);
        manifest.clearTransactionSection();
        LanceManifest parent = LanceManifest.parse(file(manifest.build()), "later");
        Manifest after = message(parent.edit(-2, path -> new byte[0]).finish(0, 0).manifest());
        for (UnknownFieldSet fields :
                List.of(
                        after.getUnknownFields(),
                        after.getFragments(0).getUnknownFields(),
                        after.getFields(0).getUnknownFields())) {
            assertThat(fields.getField(UNKNOWN_FIELD).getVarintList()).containsExactly(42L);
        }
    }

    @Test
    void refusesToExtendDeletionsLanceWroteAsArrow() throws IOException {
        LanceManifest manifest = LanceManifest.parse(fixture("detached"), "detached");
        LanceManifestEdit edit = manifest.edit(-2, path -> new byte[0]);
        assertThatThrownBy(() -> edit.delete(new long[] {0}))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("only Roaring deletion files can be extended");
    }

    @Test
    void everyCutIsCorrupt() throws IOException {
        for (String name : List.of("version-1", "detached")) {
            byte[] file = fixture(name);
            for (int length = 0; length < file.length; length++) {
                byte[] cut = Arrays.copyOf(file, length);
                assertThatThrownBy(() -> LanceManifest.parse(cut, name))
                        .as("%s cut to %d bytes", name, length)
                        .isInstanceOf(CorruptException.class);
            }
        }
    }

    @Test
    void flippedBitsAreReadOrCorrupt() throws IOException {
        Random random = Seeds.random(LanceFixtureTest.class);
        for (int i = 0; i < FLIPS; i++) {
            byte[] file = fixture(i % 2 == 0 ? "version-1" : "detached");
            file[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                LanceManifest manifest = LanceManifest.parse(file, "flipped");
                manifest.fragments();
                manifest.edit(-2, path -> new byte[0]).finish(0, 0);
            } catch (CorruptException expected) {
                assertThat(expected).hasMessageContaining("flipped");
            }
        }
    }

    private static byte[] fixture(String name) throws IOException {
        String path = "/lance/" + name + ".manifest";
        try (InputStream in = LanceFixtureTest.class.getResourceAsStream(path)) {
            return in.readAllBytes();
        }
    }

    private static Manifest message(byte[] file) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int position = (int) in.getLong(file.length - 16);
        int from = position + 4;
        return Manifest.parseFrom(Arrays.copyOfRange(file, from, from + in.getInt(position)));
    }

    private static byte[] file(Manifest manifest) {
        byte[] body = manifest.toByteArray();
        ByteBuffer out = ByteBuffer.allocate(4 + body.length + 16).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(body.length).put(body).putLong(0);
        return out.putShort((short) 0).putShort((short) 2).putInt(0x434e414c).array();
    }
}
