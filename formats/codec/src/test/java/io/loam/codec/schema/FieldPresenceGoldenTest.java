package io.loam.codec.schema;

import io.loam.codec.manifest.Golden;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class FieldPresenceGoldenTest {
    static List<Golden> terms() {
        return Golden.file("presence.json").get("terms").list();
    }

    @ParameterizedTest
    @MethodSource("terms")
    void hashesFieldIds(Golden golden) {
        long term = FieldPresence.term((int) golden.get("field_id").u64());
        assertThat(term).isEqualTo(golden.get("term").u64());
        assertThat(ByteBuffer.allocate(8).putLong(term).array()).isEqualTo(golden.get("hex").hex());
    }
}
