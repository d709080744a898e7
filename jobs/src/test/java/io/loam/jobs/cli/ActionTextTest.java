package io.loam.jobs.cli;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.SplitRef;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class ActionTextTest {
    private static final Ulid ULID = new Ulid(1, 2);

    @Test
    void versionsAreUnsigned() {
        assertThat(ActionText.details(new Action.SetLanceVersion(3, -1)))
                .isEqualTo("3 -> 18446744073709551615");
    }

    @Test
    void splitsAreSummed() {
        SplitRef split = new SplitRef(ULID, 10, 2, 500, 400, 480, List.of(), "", 1, 7, 0, 0);
        assertThat(ActionText.details(new Action.AddSplit(split, 4)))
                .isEqualTo(ULID + " at 4: 10 documents, 2 deleted, 500 bytes");
        assertThat(ActionText.details(new Action.RemoveSplit(ULID))).isEqualTo(ULID.toString());
        assertThat(ActionText.details(new Action.UpdateSplit(ULID, 3, "x")))
                .isEqualTo(ULID + ": 3 deleted");
    }

    @Test
    void othersShowTheirMembersWithoutTheirName() {
        assertThat(ActionText.details(new Action.SetSchemaVersion(2)))
                .isEqualTo("[schemaVersion=2]");
        assertThat(ActionText.details(new Action.AdvanceOffsets(Map.of(0, 5L))))
                .isEqualTo("[next={0=5}]");
    }
}
