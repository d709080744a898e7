package io.loam.jobs.cli;

import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.record.RecordException;
import io.loam.codec.schema.DocumentCheck;
import io.loam.codec.schema.Violation;
import io.loam.store.CollectionHandle;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Appends JSON lines to a collection's stream. */
@Command(
        name = "produce",
        description = {
            "Append JSON lines of documents or operations to the collection's stream.",
            "A plain object is an upsert; {\"upsert\":{...},\"pk\":k}, {\"delete\":k} and"
                    + " {\"patch\":{...},\"pk\":k} are operations."
        },
        mixinStandardHelpOptions = true)
final class ProduceCommand extends CollectionCommand {
    private static final int PROGRESS_EVERY = 10_000;
    private static final int MAX_SHOWN = 10;

    @Mixin BrokerArguments brokers;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "<file>",
            description = "JSON lines; standard input if left out or -.")
    String file = "-";

    @Option(
            names = "--key",
            paramLabel = "<member>",
            defaultValue = "_id",
            description = "Member of a plain object that is its key (default ${DEFAULT-VALUE}).")
    String keyField;

    @Option(
            names = "--vector-field",
            paramLabel = "<member=vector>",
            description = "Take a vector out of a member of plain objects.")
    Map<String, String> vectorFields = new LinkedHashMap<>();

    @Option(
            names = "--no-check",
            description = "Skip the check against the schema; bad documents become dead letters.")
    boolean noCheck;

    @Option(names = "--quiet", description = "No progress.")
    boolean quiet;

    private long refused;

    @Override
    int run(CollectionHandle handle) throws Exception {
        try (BufferedReader lines = open();
                BrokerArguments.Connection connection = brokers.connect(warehouse)) {
            try (Topic topic = new Topic(connection.bootstrapServers(), handle.info())) {
                topic.ensure();
            }
            try (OperationProducer producer =
                    new OperationProducer(connection.bootstrapServers(), handle.info())) {
                produce(lines, producer, DocumentCheck.of(handle.schema()));
                producer.flush();
                report(producer.sent());
            }
        }
        return refused == 0 ? Loam.OK : Loam.FAILED;
    }

    /** One character a byte: lines keep their bytes, and the parser judges their UTF-8. */
    private BufferedReader open() throws IOException {
        if (Files.isDirectory(Path.of(file))) {
            throw new CliException(file + " is a folder; give a file of JSON lines");
        }
        InputStream bytes = file.equals("-") ? System.in : Files.newInputStream(Path.of(file));
        return new BufferedReader(new InputStreamReader(bytes, StandardCharsets.ISO_8859_1));
    }

    private void produce(BufferedReader lines, OperationProducer producer, DocumentCheck check)
            throws IOException {
        OperationLine parser = new OperationLine(keyField, vectorFields);
        long number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            Operation operation;
            byte[] value;
            try {
                operation = parser.parse(line.getBytes(StandardCharsets.ISO_8859_1));
                if (!noCheck) {
                    requireValid(operation, check);
                }
                value = RecordCodec.encode(operation);
            } catch (CliException | RecordException e) {
                refuse(number, e);
                continue;
            }
            producer.send(operation.key(), value);
            if (!quiet && !json && number % PROGRESS_EVERY == 0) {
                spec.commandLine().getErr().println("  " + number + " lines");
            }
        }
    }

    private static void requireValid(Operation operation, DocumentCheck check) {
        List<Violation> violations;
        if (operation instanceof Operation.Upsert) {
            Document document = ((Operation.Upsert) operation).document();
            violations = check.violations(document);
        } else if (operation instanceof Operation.Patch) {
            violations = check.violations((Operation.Patch) operation);
        } else {
            violations = List.of();
        }
        if (!violations.isEmpty()) {
            throw new CliException("schema: " + violations.get(0));
        }
    }

    private void refuse(long number, RuntimeException e) {
        refused++;
        if (refused <= MAX_SHOWN) {
            spec.commandLine().getErr().println("loam: line " + number + ": " + e.getMessage());
        } else if (refused == MAX_SHOWN + 1) {
            spec.commandLine().getErr().println("loam: further refused lines are only counted");
        }
    }

    private void report(long sent) {
        if (json) {
            out().println(new JsonOut().put("appended", sent).put("refused", refused));
        } else {
            out().println(
                            "appended "
                                    + sent
                                    + " operations"
                                    + (refused == 0 ? "" : ", refused " + refused + " lines"));
        }
    }
}
