package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;
import io.loam.codec.proto.ManifestProto;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ManifestCodecTest {
    private static final ManifestProto.CollectionManifest MINIMAL =
            ManifestProto.CollectionManifest.newBuilder().setKindValue(1).build();

    @Test
    void everyFieldTakesItsWholeUnsignedRange() {
        SplitRef split =
                new SplitRef(
                        new Ulid(-1, -1),
                        1L << 32,
                        -1,
                        -1,
                        -2,
                        -1,
                        List.of(new RowIdRange(-1 - (1L << 32), -1)),
                        "bitmap",
                        -1,
                        -1,
                        -1,
                        -1);
        CollectionManifest manifest =
                new CollectionManifest(
                        -1,
                        -2,
                        -3,
                        -4,
                        -5,
                        -6,
                        List.of(split),
                        List.of(
                                new VectorIndexRef(
                                        "c", "u", -1, "n", "v", VectorIndexRef.Kind.IVF_RQ)),
                        List.of(new HotArtifactRef("hnsw", "c", "p/", -1)),
                        Map.of(0, 0L, -1, -1L),
                        -7,
                        "parent",
                        CommitKind.INDEX_BUILD,
                        "delta",
                        "letters",
                        -8,
                        -9,
                        List.of(new ScalarIndexRef("c", "u", -1, "n")),
                        GoldenActions.operation(GoldenActions.EXAMPLES),
                        "ops/x",
                        Map.of(ManifestProperties.COMMIT_ID, "id", "other", ""),
                        -10);
        assertThat(ManifestCodec.decode(ManifestCodec.encode(manifest), "x")).isEqualTo(manifest);
    }

    @Test
    void theEmptyManifestIsReadable() {
        CollectionManifest empty = CollectionManifest.empty(5);
        assertThat(ManifestCodec.decode(ManifestCodec.encode(empty), "x")).isEqualTo(empty);
    }

    @Test
    void fieldsNobodyKnowsAreSkipped() {
        ManifestProto.CollectionManifest future =
                MINIMAL.toBuilder()
                        .setUnknownFields(
                                UnknownFieldSet.newBuilder()
                                        .addField(
                                                19,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addVarint(7)
                                                        .build())
                                        .addField(
                                                200,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addLengthDelimited(
                                                                ByteString.copyFromUtf8("x"))
                                                        .build())
                                        .build())
                        .build();
        assertThat(ManifestCodec.decode(wrap(future), "x"))
                .isEqualTo(ManifestCodec.decode(wrap(MINIMAL), "x"));
    }

    @Test
    void aDamagedOperationLeavesTheManifestReadable() {
        byte[] object =
                wrap(MINIMAL.toBuilder().setOperation(ByteString.copyFromUtf8("no")).build());
        assertThat(ManifestCodec.decode(object, "x").operation()).isNull();
        assertThat(ManifestCodec.operationDamage(object, "x"))
                .hasValueSatisfying(text -> assertThat(text).startsWith("x: user operation: "));
        assertThat(ManifestCodec.operationDamage(wrap(MINIMAL), "x")).isEmpty();
        byte[] good =
                ManifestCodec.encode(
                        GoldenActions.withOperation(
                                CollectionManifest.empty(1), GoldenActions.operation(List.of())));
        assertThat(ManifestCodec.operationDamage(good, "x")).isEmpty();
    }

    @Test
    void kindsMustBeKnown() {
        corrupt(MINIMAL.toBuilder().setKindValue(0), "commit kind: found unspecified");
        corrupt(MINIMAL.toBuilder().setKindValue(4), "commit kind: found 4, expected 1 to 3");
        for (int kind : new int[] {0, 4, -1}) {
            corrupt(
                    MINIMAL.toBuilder()
                            .addVectorIndexes(
                                    ManifestProto.VectorIndexRef.newBuilder().setKindValue(kind)),
                    "vector index kind: found " + kind + ", expected 1 to 3");
        }
    }

    @Test
    void splitsHoldAtMostTwoToTheThirtyTwoDocuments() {
        long count = (1L << 32) + 1;
        corrupt(
                MINIMAL.toBuilder()
                        .addSplits(
                                ManifestProto.SplitRef.newBuilder()
                                        .setUlid(ByteString.copyFrom(new byte[16]))
                                        .setDocCount(count)
                                        .addRowIds(
                                                ManifestProto.RowIdRange.newBuilder()
                                                        .setEnd(count))),
                "doc_count: found 4294967297, expected at most 2^32");
    }

    @Test
    void textMustBeUtf8() {
        byte[] body = {104, 1, 98, 1, -1};
        assertThatThrownBy(
                        () ->
                                ManifestCodec.decode(
                                        Envelope.wrap(Envelope.Type.OPCM, body), "the/path"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: manifest: not protobuf: ")
                .hasMessageContaining("invalid UTF-8");
    }

    @Test
    void nothingIsWrittenThatCannotBeRead() {
        SplitRef wrong =
                new SplitRef(
                        new Ulid(0, 1),
                        5,
                        0,
                        0,
                        0,
                        0,
                        List.of(new RowIdRange(0, 4)),
                        "",
                        0,
                        0,
                        0,
                        0);
        CollectionManifest manifest =
                ManifestDiff.apply(
                        CollectionManifest.empty(1),
                        CommitKind.LINK_APPLY,
                        0,
                        List.of(new Action.AddSplit(wrong, 0)));
        assertThatThrownBy(() -> ManifestCodec.encode(manifest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "manifest of version 1: split 00000000000000000000000001: row ids in"
                                + " ranges: found 4, expected doc_count 5");
    }

    private static byte[] wrap(ManifestProto.CollectionManifest message) {
        return Envelope.wrap(Envelope.Type.OPCM, message.toByteArray());
    }

    private static void corrupt(ManifestProto.CollectionManifest.Builder message, String expected) {
        assertThatThrownBy(() -> ManifestCodec.decode(wrap(message.build()), "the/path"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: manifest: ")
                .hasMessageContaining(expected);
    }
}
