package io.loam.codec.testing;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CampaignTest {
    private static final String REPORT =
            "intro\n<!-- begin a -->\nold\n<!-- end a -->\nmore\n<!-- begin b -->\n<!-- end b -->\n";

    @Test
    void replacesOneSectionAndKeepsTheRest() {
        assertThat(Campaign.replace(REPORT, "a", "new"))
                .isEqualTo(REPORT.replace("old\n", "new\n"));
        assertThat(Campaign.replace(REPORT, "b", "new"))
                .isEqualTo(REPORT.replace("<!-- begin b -->\n", "<!-- begin b -->\nnew\n"));
    }

    @Test
    void namesASectionThatIsNotThere() {
        assertThatThrownBy(() -> Campaign.replace(REPORT, "c", "new"))
                .hasMessage("docs/reliability.md has no section c");
    }
}
