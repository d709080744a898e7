package io.loam.jobs.cli;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of the command line has every command, and every option under its longest name. */
class CommandLinePageTest {
    private static final Path PAGE = Path.of("../docs/cli.md");

    @Test
    void namesEveryCommandAndOption() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(missing(page, "", Loam.commandLine())).isEmpty();
    }

    private static List<String> missing(String page, String prefix, CommandLine parent) {
        List<String> missing = new ArrayList<>();
        parent.getSubcommands()
                .forEach(
                        (name, command) -> {
                            missing.addAll(missingOf(page, prefix + name, command));
                            missing.addAll(missing(page, prefix + name + " ", command));
                        });
        return missing;
    }

    private static List<String> missingOf(String page, String name, CommandLine command) {
        List<String> missing = new ArrayList<>();
        if (!page.contains("`loam " + name) && command.getSubcommands().isEmpty()) {
            missing.add(name);
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            boolean standard = option.usageHelp() || option.versionHelp();
            if (!standard
                    && !page.contains("`" + option.longestName())
                    && !page.contains("[" + option.longestName())) {
                missing.add(name + " " + option.longestName());
            }
        }
        return missing;
    }
}
