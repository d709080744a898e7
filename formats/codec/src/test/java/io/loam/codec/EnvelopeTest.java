package io.loam.codec;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EnvelopeTest {
    private static final byte[] BODY = {1, 2, 3};

    @Test
    void bodiesComeBack() {
        for (Envelope.Type type : Envelope.Type.values()) {
            assertThat(Envelope.unwrap(type, Envelope.wrap(type, BODY), "x")).isEqualTo(BODY);
        }
        assertThat(Envelope.wrap(Envelope.Type.OPCM, new byte[0])).hasSize(Envelope.MIN_BYTES);
    }

    @Test
    void lengthIsCheckedFirst() {
        corrupt(new byte[9], "x: too short for an envelope: found 9 bytes, expected at least 10");
    }

    @Test
    void magicIsCheckedBeforeTheChecksum() {
        byte[] object = Envelope.wrap(Envelope.Type.OPDB, BODY);
        object[3] = 7;
        corrupt(object, "x: wrong magic: found OPD\\x07, expected OPCM");
    }

    @Test
    void checksumIsCheckedBeforeTheVersion() {
        byte[] object = Envelope.wrap(Envelope.Type.OPCM, BODY);
        object[4] = 9;
        assertThatThrownBy(() -> Envelope.unwrap(Envelope.Type.OPCM, object, "x"))
                .isInstanceOf(CorruptException.class)
                .hasMessageMatching("x: crc32c of the bytes is [0-9a-f]{8}, expected [0-9a-f]{8}");
    }

    @Test
    void versionsTooOldAndTooNewAreNamedWithThoseKnown() {
        corrupt(version(0), "x: unknown format version 0 of OPCM, expected 1 to 1");
        corrupt(version(0xffff), "x: unknown format version 65535 of OPCM, expected 1 to 1");
    }

    private static byte[] version(int version) {
        byte[] object = Envelope.wrap(Envelope.Type.OPCM, BODY);
        ByteBuffer buffer = ByteBuffer.wrap(object).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putShort(4, (short) version);
        CRC32C crc = new CRC32C();
        crc.update(object, 0, object.length - 4);
        buffer.putInt(object.length - 4, (int) crc.getValue());
        return object;
    }

    private static void corrupt(byte[] object, String message) {
        assertThatThrownBy(() -> Envelope.unwrap(Envelope.Type.OPCM, object, "x"))
                .isInstanceOf(CorruptException.class)
                .hasMessage(message);
    }
}
