package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ManifestDiffTest {
    private static final CollectionManifest EMPTY = CollectionManifest.empty(7);
    private static final SplitRef A = split(1, 0, 10);
    private static final SplitRef B = split(2, 10, 20);
    private static final SplitRef C = split(3, 20, 30);

    @Test
    void splitsThatChangeTheirOrderAreRemovedAndAdded() {
        CollectionManifest before = with(A, B, C);
        CollectionManifest after = with(B, C, A);
        assertThat(ManifestDiff.diff(before, after))
                .containsExactly(new Action.RemoveSplit(A.ulid()), new Action.AddSplit(A, 2));
        GoldenActions.checkDiff(before, after);
        GoldenActions.checkDiff(before, with(C, B, A));
        assertThat(ManifestFiles.newFiles(RandomChain.PATHS, ManifestDiff.diff(before, after)))
                .as("a split that moved is not new")
                .isEmpty();
    }

    @Test
    void aSplitWithOtherDocumentsIsRemovedAndAdded() {
        SplitRef other = split(1, 5, 10);
        assertThat(ManifestDiff.diff(with(A), with(other)))
                .containsExactly(new Action.RemoveSplit(A.ulid()), new Action.AddSplit(other, 0));
    }

    @Test
    void fieldsThatOthersDoNotKnowAreNoDifference() {
        SplitRef unknown = new SplitRef(A.ulid(), 10, 0, 5, 1, 5, A.ranges(), "", 1, 2, 3, 0xbeef);
        assertThat(ManifestDiff.diff(with(A), with(unknown))).isEmpty();
        assertThat(ManifestDiff.sameContent(with(A), with(unknown))).isTrue();
    }

    @Test
    void contentIgnoresVersionParentAndTimeButNotTheRest() {
        CollectionManifest a = apply(EMPTY, new Action.AdvanceOffsets(Map.of(1, 2L)));
        CollectionManifest again = ManifestDiff.apply(EMPTY, CommitKind.LINK_APPLY, 99, List.of());
        CollectionManifest b = apply(again, new Action.AdvanceOffsets(Map.of(1, 2L)));
        assertThat(a.version()).isNotEqualTo(b.version());
        assertThat(ManifestDiff.sameContent(a, b)).isTrue();
        assertThat(ManifestDiff.difference(a, apply(a, new Action.AdjustCounters(3, 0, 0))))
                .contains("live_doc_count: 0 is not 3");
        assertThat(ManifestDiff.difference(with(A, B), with(B, A)))
                .hasValueSatisfying(text -> assertThat(text).startsWith("splits: "));
    }

    @Test
    void anIndexThatChangedIsRemovedAndAdded() {
        VectorIndexRef before =
                new VectorIndexRef("c", "u", 5, "n", "v", VectorIndexRef.Kind.IVF_PQ);
        VectorIndexRef after =
                new VectorIndexRef("c", "u", 9, "n", "v", VectorIndexRef.Kind.IVF_PQ);
        CollectionManifest parent = apply(EMPTY, new Action.AddVectorIndexRef(before));
        CollectionManifest child = apply(EMPTY, new Action.AddVectorIndexRef(after));
        assertThat(ManifestDiff.diff(parent, child))
                .containsExactly(
                        new Action.RemoveIndexRef("u"), new Action.AddVectorIndexRef(after));
        GoldenActions.checkDiff(parent, child);
    }

    @Test
    void indexesAreSortedUnsigned() {
        VectorIndexRef high =
                new VectorIndexRef("c", "a", -1, "n", "v", VectorIndexRef.Kind.IVF_PQ);
        VectorIndexRef low = new VectorIndexRef("c", "b", 1, "n", "v", VectorIndexRef.Kind.IVF_PQ);
        assertThat(
                        apply(
                                        EMPTY,
                                        new Action.AddVectorIndexRef(high),
                                        new Action.AddVectorIndexRef(low))
                                .vectorIndexes())
                .containsExactly(low, high);
    }

    @Test
    void actionsThatDoNotFitAreNamedWithWhatIsThere() {
        misfit(EMPTY, new Action.SetLanceVersion(1, 2), "lance_version is 0");
        misfit(EMPTY, new Action.AddSplit(A, 1), "the list has 0 splits");
        misfit(EMPTY, new Action.AddSplit(A, -1), "the list has 0 splits");
        misfit(with(A), new Action.AddSplit(A, 0), "the split is already there");
        misfit(with(A), new Action.RemoveSplit(B.ulid()), "there is no split " + B.ulid());
        misfit(with(A), new Action.UpdateSplit(B.ulid(), 1, "x"), "there is no split " + B.ulid());
        misfit(EMPTY, new Action.RemoveIndexRef("u"), "there is no index u");
        misfit(EMPTY, new Action.RemoveHotArtifact("c"), "no hot artifact of column c");
        misfit(
                apply(EMPTY, new Action.AdvanceOffsets(Map.of(2, -1L))),
                new Action.AdvanceOffsets(Map.of(2, 5L)),
                "the offset of partition 2 is already 18446744073709551615");
        misfit(EMPTY, new Action.AdjustCounters(-1, 0, 0), "live_doc_count is 0");
        misfit(
                apply(EMPTY, new Action.AdjustCounters(0, -1, 0)),
                new Action.AdjustCounters(0, 1, 0),
                "dead_letters_total is 18446744073709551615");
        ScalarIndexRef index = new ScalarIndexRef("c", "u", 1, "n");
        misfit(
                apply(EMPTY, new Action.AddScalarIndexRef(index)),
                new Action.AddScalarIndexRef(index),
                "the index is already there");
    }

    private static void misfit(CollectionManifest parent, Action action, String why) {
        assertThatThrownBy(() -> apply(parent, new Action.SetSchemaVersion(3), action))
                .isInstanceOf(ManifestDiffException.class)
                .hasMessage("action 1 (" + action + "): " + why);
    }

    @Test
    void anOperationFitsOnlyTheVersionItWasPlannedOn() {
        UserOperation operation = GoldenActions.operation(List.of());
        assertThatThrownBy(() -> ManifestDiff.apply(EMPTY, operation))
                .isInstanceOf(ManifestDiffException.class)
                .hasMessage("the operation was planned on version 3, not on version 0");
        UserOperation tag =
                new UserOperation(
                        operation.uuid(),
                        0,
                        List.of(new UserAction("tag", List.of(Action.AddTag.named("t")))),
                        null,
                        0,
                        "",
                        Map.of(),
                        0);
        assertThatThrownBy(() -> ManifestDiff.apply(EMPTY, tag))
                .hasMessage("the operation has no kind: it makes no manifest");
    }

    @Test
    void nothingLeadsBackInTheStream() {
        CollectionManifest ahead = apply(EMPTY, new Action.AdvanceOffsets(Map.of(0, 5L)));
        assertThatThrownBy(() -> ManifestDiff.diff(ahead, EMPTY))
                .isInstanceOf(ManifestDiffException.class)
                .hasMessage("no action takes back the offset of partition 0 from 5 to nothing");
        assertThatThrownBy(
                        () ->
                                ManifestDiff.diff(
                                        ahead,
                                        apply(EMPTY, new Action.AdvanceOffsets(Map.of(0, 4L)))))
                .hasMessage("no action takes back the offset of partition 0 from 5 to 4");
        assertThatThrownBy(
                        () ->
                                ManifestDiff.diff(
                                        apply(EMPTY, new Action.AdjustCounters(0, 0, 7)), EMPTY))
                .hasMessage("no action takes back skipped_offsets_total from 7 to 0");
    }

    @Test
    void actionsOnLanceAndTagsLeaveTheManifestAsItIs() {
        for (Action action : GoldenActions.EXAMPLES) {
            boolean marker =
                    action instanceof LanceAction
                            || action instanceof Action.AddTag
                            || action instanceof Action.RemoveTag
                            || action instanceof Action.EraseMark;
            if (marker) {
                assertThat(ManifestDiff.sameContent(apply(EMPTY, action), EMPTY)).isTrue();
            }
        }
    }

    @Test
    void aDerivedStepIsDescribedByItsKind() {
        CollectionManifest child =
                ManifestDiff.apply(
                        EMPTY, CommitKind.INDEX_BUILD, 0, List.of(new Action.SetSchemaVersion(1)));
        assertThat(ManifestDiff.derive(EMPTY, child))
                .isEqualTo(new UserAction("index build", List.of(new Action.SetSchemaVersion(1))));
    }

    private static CollectionManifest apply(CollectionManifest parent, Action... actions) {
        return ManifestDiff.apply(parent, CommitKind.LINK_APPLY, 0, List.of(actions));
    }

    private static CollectionManifest with(SplitRef... splits) {
        CollectionManifest manifest = EMPTY;
        for (int i = 0; i < splits.length; i++) {
            manifest = apply(manifest, new Action.AddSplit(splits[i], i));
        }
        return manifest;
    }

    private static SplitRef split(long id, long from, long to) {
        return new SplitRef(
                new Ulid(0, id),
                to - from,
                0,
                5,
                1,
                5,
                List.of(new RowIdRange(from, to)),
                "",
                1,
                2,
                3,
                0);
    }
}
