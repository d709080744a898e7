package io.loam.jobs.cli;

import io.loam.store.CollectionHandle;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks a collection from end to end. */
@Command(
        name = "verify",
        description = "Check that rows, text, keys, offsets and history of the collection agree.",
        mixinStandardHelpOptions = true)
public final class VerifyCommand extends CollectionCommand {
    @Mixin BrokerArguments brokers;

    @Option(names = "--no-log", description = "Do not compare with the stream.")
    boolean noLog;

    @Override
    int run(CollectionHandle handle) throws Exception {
        VerifyReport report = verify(handle);
        if (json) {
            out().println(
                            new JsonOut()
                                    .put("version", report.version())
                                    .put("counts", report.counts())
                                    .put("skipped", report.skipped())
                                    .put("violations", report.violations())
                                    .put("violation_count", report.violationCount()));
        } else {
            print(report, out());
        }
        return report.ok() ? Loam.OK : Loam.VIOLATIONS;
    }

    private VerifyReport verify(CollectionHandle handle) throws Exception {
        Path folder = warehouse.beside("kafka");
        if (noLog || !brokers.external() && !Files.isDirectory(folder)) {
            return Verifier.verify(handle);
        }
        try (BrokerArguments.Connection connection = brokers.connect(warehouse);
                KafkaLogReader log =
                        new KafkaLogReader(connection.bootstrapServers(), handle.info())) {
            return Verifier.againstLog(handle, log);
        }
    }

    /** Prints counts, skipped checks, violations, and the verdict last. */
    public static void print(VerifyReport report, PrintWriter out) {
        Table table = new Table("checked", "count");
        report.counts().forEach(table::row);
        table.print(out);
        report.skipped().forEach(line -> out.println("skipped: " + line));
        report.violations().forEach(line -> out.println("violation: " + line));
        out.println(
                "verified: " + report.keys() + " keys, " + report.violationCount() + " violations");
        out.flush();
    }
}
