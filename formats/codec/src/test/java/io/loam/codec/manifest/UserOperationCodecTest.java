package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UserOperationCodecTest {
    private static final List<Action> EXAMPLES = GoldenActions.EXAMPLES;

    @ParameterizedTest
    @FieldSource("EXAMPLES")
    void everyActionIsReadAsWritten(Action action) {
        UserOperation operation = GoldenActions.operation(List.of(action, action));
        assertThat(UserOperationCodec.decode(UserOperationCodec.encode(operation), "x"))
                .isEqualTo(operation);
    }

    @Test
    void examplesCoverEveryNumber() {
        assertThat(GoldenActions.numbers().values())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(
                                        IntStream.rangeClosed(1, 14).boxed(),
                                        IntStream.rangeClosed(101, 113).boxed())
                                .toList());
    }

    @Test
    void anOperationOfItsOwnHasItsOwnMagic() {
        byte[] object = UserOperationCodec.encode(GoldenActions.operation(List.of()));
        assertThat(new String(object, 0, 4, StandardCharsets.US_ASCII)).isEqualTo("OPUO");
        assertThatThrownBy(() -> ManifestCodec.decode(object, "x"))
                .hasMessage("x: wrong magic: found OPUO, expected OPCM");
    }

    @Test
    void unknownActionsAreRefused() throws Exception {
        byte[] future = message(114, message(1, new byte[0]));
        corrupt(
                operation(future),
                "action: found [114], expected one of the numbers 1 to 14 and 101 to 113");
        corrupt(operation(new byte[0]), "action: found []");
    }

    @Test
    void damagedActionsAreRefused() throws Exception {
        corrupt(operation(message(103, message(1, new byte[3]))), "ulid: found 3 bytes");
        corrupt(operation(message(105, new byte[0])), "added index: found neither");
        corrupt(operation(message(8, message(1, message(1, new byte[5])))), "uuid: found 5 bytes");
        corrupt(operation(message(1, message(1, new byte[] {8}))), "a message of Lance");
        corrupt(operation(message(106, message(1, new byte[] {-1}))), "invalid UTF-8");
        byte[] both = concat(message(4, new byte[0]), new byte[] {40, 1});
        corrupt(operation(message(3, both)), "cannot both get a deletion file and lose it");
        byte[] oddType = message(4, new byte[] {8, 9});
        corrupt(operation(message(3, oddType)), "type of a deletion file: found 9");
    }

    @Test
    void anOperationNeedsItsIdentity() {
        corrupt(new byte[0], "uuid: found 0 bytes, expected 16");
    }

    private static void corrupt(byte[] body, String message) {
        assertThatThrownBy(() -> UserOperationCodec.decodeBody(body, "the/path"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: user operation: ")
                .hasMessageContaining(message);
        byte[] object = Envelope.wrap(Envelope.Type.OPUO, body);
        assertThatThrownBy(() -> UserOperationCodec.decode(object, "the/path"))
                .isInstanceOf(CorruptException.class);
    }

    /** An operation with one action of the given bytes. */
    private static byte[] operation(byte[] action) throws Exception {
        return concat(message(2, message(1, new byte[16])), message(4, message(4, action)));
    }

    private static byte[] message(int number, byte[] content) throws Exception {
        ByteString.Output bytes = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeByteArray(number, content);
        out.flush();
        return bytes.toByteString().toByteArray();
    }

    private static byte[] concat(byte[] a, byte[] b) {
        return ByteString.copyFrom(a).concat(ByteString.copyFrom(b)).toByteArray();
    }
}
