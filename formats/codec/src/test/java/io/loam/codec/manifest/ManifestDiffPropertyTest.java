package io.loam.codec.manifest;

import io.loam.codec.Envelope;
import io.loam.codec.manifest.RandomChain.Commit;
import io.loam.codec.proto.ManifestProto;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** The properties P1 to P6 of user operations, over random chains of all kinds of commits. */
class ManifestDiffPropertyTest {
    private static final int COMMITS = 25;
    private static final int FIRST_OWN_FIELD = 100;
    private static final List<List<Commit>> CHAINS = new ArrayList<>();

    static {
        Random random = Seeds.random(ManifestDiffPropertyTest.class);
        for (int i = 0; i < 60; i++) {
            CHAINS.add(new RandomChain(random).commits(COMMITS));
        }
    }

    @Test
    void chainsHoldCommitsOfEveryKind() {
        Set<CommitKind> kinds = new HashSet<>();
        Set<String> actions = new HashSet<>();
        for (List<Commit> chain : CHAINS) {
            for (Commit commit : chain) {
                kinds.add(commit.child().kind());
                commit.operation().allActions().forEach(a -> actions.add(GoldenActions.name(a)));
            }
        }
        assertThat(kinds).containsExactlyInAnyOrder(CommitKind.values());
        assertThat(actions)
                .contains(
                        "SetLanceVersion",
                        "AddSplit",
                        "RemoveSplit",
                        "UpdateSplit",
                        "AddIndexRef",
                        "RemoveIndexRef",
                        "SetHotArtifact",
                        "RemoveHotArtifact",
                        "AdvanceOffsets",
                        "AdjustCounters",
                        "SetSchemaVersion",
                        "AttachFiles");
    }

    @Test
    void p1DiffAndRecordedOperationBothGiveTheChild() {
        for (List<Commit> chain : CHAINS) {
            for (Commit commit : chain) {
                GoldenActions.checkDiff(commit.parent(), commit.child());
                CollectionManifest applied =
                        ManifestDiff.apply(commit.parent(), commit.operation());
                assertThat(ManifestDiff.difference(applied, commit.child())).isEmpty();
                assertThat(applied.version()).isEqualTo(commit.child().version());
                assertThat(applied.parentVersion()).isEqualTo(commit.parent().version());
                assertThat(applied.createdAtMs()).isEqualTo(commit.child().createdAtMs());
            }
        }
    }

    @Test
    void p2FoldingAllOperationsGivesTheLastManifest() {
        for (List<Commit> chain : CHAINS) {
            CollectionManifest folded = fold(chain, 0, chain.size());
            CollectionManifest last = chain.get(chain.size() - 1).child();
            assertThat(ManifestDiff.difference(folded, last)).isEmpty();
        }
    }

    @Test
    void p3NewFilesAreNotThoseOfTheParent() {
        for (List<Commit> chain : CHAINS) {
            for (Commit commit : chain) {
                List<Action> recorded =
                        commit.operation().allActions().stream()
                                .filter(action -> !(action instanceof LanceAction))
                                .toList();
                Set<String> files = ManifestFiles.newFiles(RandomChain.PATHS, recorded);
                Set<String> before = ManifestFiles.referenced(RandomChain.PATHS, commit.parent());
                assertThat(files).noneMatch(before::contains);
                assertThat(files)
                        .isEqualTo(
                                ManifestFiles.removedFiles(
                                        RandomChain.PATHS, commit.child(), commit.parent()));
            }
        }
    }

    @Test
    void p4DiffLeadsBetweenAnyTwoVersions() {
        for (List<Commit> chain : CHAINS) {
            for (int i = 0; i < chain.size(); i++) {
                for (int j = i; j < chain.size(); j++) {
                    GoldenActions.checkDiff(chain.get(i).parent(), chain.get(j).child());
                }
            }
        }
    }

    @Test
    void p5FoldedStepsDifferAsTheirEndsDo() {
        for (List<Commit> chain : CHAINS) {
            for (int i = 0; i < chain.size(); i++) {
                CollectionManifest from = chain.get(i).parent();
                CollectionManifest folded = from;
                Set<String> ofSteps = new HashSet<>();
                for (Commit step : chain.subList(i, chain.size())) {
                    folded = ManifestDiff.apply(folded, step.operation());
                    ofSteps.addAll(
                            ManifestFiles.newFiles(
                                    RandomChain.PATHS, step.operation().allActions()));
                    List<Action> net = ManifestDiff.diff(from, step.child());
                    assertThat(net).isEqualTo(ManifestDiff.diff(from, folded));
                    assertThat(ofSteps).containsAll(ManifestFiles.newFiles(RandomChain.PATHS, net));
                }
            }
        }
    }

    @Test
    void p6ReadersThatLackOurFieldsReadTheSame() throws Exception {
        for (List<Commit> chain : CHAINS) {
            for (Commit commit : chain) {
                CollectionManifest with = commit.child();
                CollectionManifest without = GoldenActions.withOperation(with, null);
                assertThat(ManifestCodec.decode(ManifestCodec.encode(with), "x")).isEqualTo(with);
                assertThat(shared(with)).isEqualTo(shared(without));
                CollectionManifest read = ManifestCodec.decodeBody(shared(with).toByteArray(), "x");
                assertThat(ManifestDiff.difference(read, with)).isEmpty();
                assertThat(read.version()).isEqualTo(with.version());
                assertThat(read.parentManifest()).isEqualTo(with.parentManifest());
                assertThat(read.operation()).isNull();
                assertThat(read.properties()).isEmpty();
                assertThat(read.splits()).allMatch(split -> split.footerCrc32c() == 0);
            }
        }
    }

    /** What a decoder that knows no field from 100 on sees. */
    private static UnknownFieldSet shared(CollectionManifest manifest) throws Exception {
        byte[] object = ManifestCodec.encode(manifest);
        byte[] body = Envelope.unwrap(Envelope.Type.OPCM, object, "x");
        UnknownFieldSet.Builder fields = withoutOurs(UnknownFieldSet.parseFrom(body)).toBuilder();
        int splits = ManifestProto.CollectionManifest.SPLITS_FIELD_NUMBER;
        UnknownFieldSet.Field.Builder bare = UnknownFieldSet.Field.newBuilder();
        for (ByteString split : fields.build().getField(splits).getLengthDelimitedList()) {
            bare.addLengthDelimited(withoutOurs(UnknownFieldSet.parseFrom(split)).toByteString());
        }
        return fields.clearField(splits).addField(splits, bare.build()).build();
    }

    private static UnknownFieldSet withoutOurs(UnknownFieldSet message) {
        UnknownFieldSet.Builder fields = message.toBuilder();
        message.asMap().keySet().stream()
                .filter(number -> number >= FIRST_OWN_FIELD)
                .forEach(fields::clearField);
        return fields.build();
    }

    private static CollectionManifest fold(List<Commit> chain, int from, int to) {
        CollectionManifest folded = chain.get(from).parent();
        for (Commit commit : chain.subList(from, to)) {
            folded = ManifestDiff.apply(folded, commit.operation());
        }
        return folded;
    }
}
