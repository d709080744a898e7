package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.proto.UserOperationProto;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * User operations as protobuf message {@code loam.collection.v1.UserOperation}: field 100 of a
 * manifest, or, when larger than {@link #MAX_INLINE_BYTES}, an object of its own in envelope {@code
 * OPUO}.
 */
public final class UserOperationCodec {
    /** Longest message that stands in its manifest. */
    public static final int MAX_INLINE_BYTES = 256 * 1024;

    private static final int UUID_BYTES = 16;

    private UserOperationCodec() {}

    /** Bytes of the message alone. */
    public static byte[] encodeBody(UserOperation operation) {
        UserOperationProto.UserOperation.Builder message =
                UserOperationProto.UserOperation.newBuilder()
                        .setUuid(uuid(operation.uuid()))
                        .setReadVersion(operation.readVersion())
                        .setStartedAtMs(operation.startedAtMs())
                        .setActor(operation.actor())
                        .putAllProperties(operation.properties())
                        .setAttempt(operation.attempt());
        if (operation.kind() != null) {
            message.setKindValue(operation.kind().number());
        }
        for (UserAction step : operation.actions()) {
            UserOperationProto.UserAction.Builder stepMessage =
                    message.addActionsBuilder().setDescription(step.description());
            for (Action action : step.actions()) {
                stepMessage.addActions(toMessage(action));
            }
        }
        return message.build().toByteArray();
    }

    /**
     * Reads the message alone.
     *
     * @throws CorruptException if it is damaged or holds an action this build does not know
     */
    public static UserOperation decodeBody(byte[] body, String path) {
        try {
            return fromMessage(UserOperationProto.UserOperation.parseFrom(body));
        } catch (InvalidProtocolBufferException | CorruptException | IllegalArgumentException e) {
            throw new CorruptException(path + ": user operation: " + e.getMessage(), e);
        }
    }

    /** The object of an operation that is too large for its manifest. */
    public static byte[] encode(UserOperation operation) {
        return Envelope.wrap(Envelope.Type.OPUO, encodeBody(operation));
    }

    /**
     * Reads an operation's own object.
     *
     * @throws CorruptException if it is damaged or holds an action this build does not know
     */
    public static UserOperation decode(byte[] object, String path) {
        return decodeBody(Envelope.unwrap(Envelope.Type.OPUO, object, path), path);
    }

    private static UserOperation fromMessage(UserOperationProto.UserOperation message) {
        List<UserAction> steps = new ArrayList<>();
        for (UserOperationProto.UserAction step : message.getActionsList()) {
            List<Action> actions = new ArrayList<>();
            for (UserOperationProto.Action action : step.getActionsList()) {
                actions.add(fromMessage(action));
            }
            steps.add(new UserAction(step.getDescription(), actions));
        }
        int kind = message.getKindValue();
        return new UserOperation(
                uuid(message.getUuid()),
                message.getReadVersion(),
                steps,
                kind == 0 ? null : ManifestMessages.commitKind(kind),
                message.getStartedAtMs(),
                message.getActor(),
                message.getPropertiesMap(),
                message.getAttempt());
    }

    private static UserOperationProto.Action toMessage(Action action) {
        UserOperationProto.Action.Builder message = UserOperationProto.Action.newBuilder();
        if (action instanceof LanceAction lance) {
            LanceActionMessages.write(lance, message);
        } else {
            CollectionActionMessages.write((Action.OfCollection) action, message);
        }
        return message.build();
    }

    private static Action fromMessage(UserOperationProto.Action message) {
        int number = message.getActionCase().getNumber();
        if (number == 0) {
            throw new CorruptException(
                    "action: found "
                            + message.getUnknownFields().asMap().keySet()
                            + ", expected one of the numbers 1 to 14 and 101 to 113");
        }
        return number <= LanceActionMessages.LAST_NUMBER
                ? LanceActionMessages.read(message)
                : CollectionActionMessages.read(message);
    }

    static UserOperationProto.UUID uuid(UUID uuid) {
        ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES);
        bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
        return UserOperationProto.UUID
                .newBuilder()
                .setUuid(ByteString.copyFrom(bytes.flip()))
                .build();
    }

    static UUID uuid(UserOperationProto.UUID message) {
        if (message.getUuid().size() != UUID_BYTES) {
            throw new CorruptException(
                    "uuid: found " + message.getUuid().size() + " bytes, expected " + UUID_BYTES);
        }
        ByteBuffer bytes = message.getUuid().asReadOnlyByteBuffer();
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
