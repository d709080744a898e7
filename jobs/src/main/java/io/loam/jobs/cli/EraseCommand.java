package io.loam.jobs.cli;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.erase.ErasureRequest.Tagged;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation;
import io.loam.flink.connector.maintenance.KafkaStreamLog;
import io.loam.store.CollectionHandle;
import io.loam.store.LocalFiles;
import io.loam.store.commit.CommitMode;
import io.loam.store.erase.EraseOptions;
import io.loam.store.erase.ErasedDocuments;
import io.loam.store.erase.ErasedKeys;
import io.loam.store.erase.Eraser;
import io.loam.store.erase.ErasureRecords;
import io.loam.store.erase.ErasureSecret;
import io.loam.store.erase.LeftoverScan;
import io.loam.store.erase.Leftovers;
import io.loam.store.retry.Pause;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Erases documents for good. */
@Command(
        name = "erase",
        description = {
            "Erase documents from every version and every object of the collection, and prove it.",
            "Older versions cannot be read any more afterwards: docs/operations/erasure.md."
        },
        mixinStandardHelpOptions = true)
final class EraseCommand extends CollectionCommand {
    @Mixin BrokerArguments brokers;
    @Mixin ErasedKeysArguments documents;

    @Option(
            names = "--resume",
            paramLabel = "<id>",
            description = "Go on with an erasure; keys may be given again.")
    @Nullable
    String resume;

    @Option(
            names = "--verify",
            paramLabel = "<id>",
            description = "Only look whether something is left of an erasure.")
    @Nullable
    String verify;

    @Option(names = "--list", description = "Only list the erasures of the collection.")
    boolean list;

    @Option(
            names = "--tagged",
            paramLabel = "<rewrite|drop>",
            defaultValue = "rewrite",
            description = "Older tags name copies without the documents (default), or are deleted.")
    Tagged tagged;

    @Option(
            names = "--grace",
            paramLabel = "<time>",
            defaultValue = "10min",
            description =
                    "How long older versions can still be read, by queries that run"
                            + " (default 10min).")
    String grace;

    @Option(
            names = "--wait",
            paramLabel = "<time>",
            defaultValue = "10min",
            description =
                    "How long to wait for the apply job, and for side jobs to end"
                            + " (default 10min).")
    String wait;

    @Option(
            names = "--secret",
            paramLabel = "<file>",
            defaultValue = "${env:LOAM_ERASURE_SECRET:-}",
            description =
                    "Secret that keys are hashed with (LOAM_ERASURE_SECRET); default:"
                            + " erasure.secret beside the warehouse, made when it is not there.")
    String secretFile;

    @Option(
            names = "--values-file",
            paramLabel = "<file>",
            description = "Texts of the documents to look for at the end, one a line.")
    @Nullable
    Path valuesFile;

    @Override
    int run(CollectionHandle handle) throws Exception {
        if (list) {
            list(handle);
            return Loam.OK;
        }
        if (resume != null && verify != null) {
            throw new CliException("give either --resume or --verify");
        }
        if (resume != null || verify != null) {
            documents.requireNoQuery();
        }
        if (verify != null) {
            ErasureRequest request = request(handle, verify);
            ErasedKeys keys = ErasedKeys.of(request, secret(false), documents.named());
            return report(request, LeftoverScan.of(handle, keys, values()));
        }
        return resume == null ? start(handle) : resume(handle);
    }

    private int start(CollectionHandle handle) throws Exception {
        Set<PrimaryKey> others = new TreeSet<>();
        Set<PrimaryKey> keys = documents.all(handle, others);
        if (!others.isEmpty()) {
            say(
                    others.size()
                            + " documents match in an older version only and are something else"
                            + " now; they are left alone, --changed erases them, too");
        }
        if (keys.isEmpty()) {
            throw new CliException(
                    documents.where == null
                            ? "name the documents: --key, --keys-file or --where"
                            : "no document matches "
                                    + documents.where
                                    + (others.isEmpty() ? "" : " now"));
        }
        ErasureSecret secret = secret(true);
        Collection<byte[]> sequences = sequences(handle, keys::contains);
        if (CommitMode.isDirect(handle.live().manifest())) {
            ErasureRequest request = eraser(handle, null).request(keys, Map.of(), secret);
            return run(handle, request, ErasedKeys.of(request, secret, keys), sequences);
        }
        ErasureRequest request;
        try (BrokerArguments.Connection connection = brokers.connect(warehouse);
                Topic topic = new Topic(connection.bootstrapServers(), handle.info());
                KafkaStreamLog log = connection.log(handle.info())) {
            topic.ensure();
            try (OperationProducer producer =
                    new OperationProducer(connection.bootstrapServers(), handle.info())) {
                keys.forEach(key -> producer.send(new Operation.Delete(key)));
                producer.flush();
            }
            request = eraser(handle, null).request(keys, log.ends(), secret);
        }
        return run(handle, request, ErasedKeys.of(request, secret, keys), sequences);
    }

    private int resume(CollectionHandle handle) throws Exception {
        ErasureRequest request = request(handle, resume);
        ErasureSecret secret = secret(false);
        Set<PrimaryKey> named = documents.named();
        ErasedKeys keys = ErasedKeys.of(request, secret, named);
        return run(handle, request, keys, sequences(handle, key -> keys.holds(key.canonical())));
    }

    private int run(
            CollectionHandle handle,
            ErasureRequest request,
            ErasedKeys keys,
            Collection<byte[]> sequences)
            throws Exception {
        say("erasure " + request.id() + " of " + keys.count() + " keys");
        Path work = Files.createTempDirectory("loam-erase");
        try {
            if (request.offsets().isEmpty()) {
                return report(request, eraser(handle, work).run(request, keys, sequences, null));
            }
            try (BrokerArguments.Connection connection = brokers.connect(warehouse);
                    KafkaStreamLog log = connection.log(handle.info())) {
                return report(request, eraser(handle, work).run(request, keys, sequences, log));
            }
        } finally {
            LocalFiles.delete(work);
        }
    }

    private Eraser eraser(CollectionHandle handle, @Nullable Path work) {
        // A lease lets its own owner in again; two commands must not take each other for it.
        EraseOptions options =
                EraseOptions.of("loam erase/" + handle.ulids().next())
                        .withTagged(tagged)
                        .withWaitMs(TimeOption.parse("--wait", wait).toMillis())
                        .withGraceMs(TimeOption.parse("--grace", grace).toMillis());
        return new Eraser(handle, options, work, this::say, Pause.real());
    }

    private Collection<byte[]> sequences(CollectionHandle handle, Predicate<PrimaryKey> keys)
            throws IOException {
        Collection<byte[]> sequences = new ArrayList<>(values());
        ErasedDocuments read = ErasedDocuments.read(handle, keys);
        if (read.unread() > 0) {
            say(
                    read.unread()
                            + " older versions cannot be read; what only they hold of the documents"
                            + " is not looked for at the end");
        }
        sequences.addAll(read.sequences());
        return sequences;
    }

    private List<byte[]> values() throws IOException {
        return valuesFile == null
                ? List.of()
                : Files.readAllLines(valuesFile, StandardCharsets.UTF_8).stream()
                        .map(line -> line.getBytes(StandardCharsets.UTF_8))
                        .toList();
    }

    private ErasureSecret secret(boolean make) throws IOException {
        Path file = secretFile.isEmpty() ? warehouse.beside("erasure.secret") : Path.of(secretFile);
        try {
            if (make) {
                return ErasureSecret.readOrCreate(file);
            }
            if (!Files.exists(file)) {
                throw new CliException(
                        "no secret at " + file + "; name the one of the request with --secret");
            }
            return ErasureSecret.read(file);
        } catch (IllegalArgumentException e) {
            throw new CliException(e.getMessage(), e);
        }
    }

    private static ErasureRequest request(CollectionHandle handle, String text) throws IOException {
        Ulid id;
        try {
            id = Ulid.parse(text);
        } catch (CorruptException e) {
            throw new CliException("not the id of an erasure: " + text, e);
        }
        return records(handle)
                .request(id)
                .filter(request -> request.collectionId() == handle.info().id())
                .orElseThrow(
                        () ->
                                new CliException(
                                        "the collection has no erasure "
                                                + id
                                                + "; see loam erase --list"));
    }

    private static ErasureRecords records(CollectionHandle handle) {
        return new ErasureRecords(handle.objects(), handle.info().namespaceId());
    }

    private void say(String line) {
        if (json) {
            out().println(new JsonOut().put("progress", line));
        } else {
            out().println(line);
        }
        out().flush();
    }

    private int report(ErasureRequest request, Leftovers left) {
        if (json) {
            out().println(
                            new JsonOut()
                                    .put("erasure", request.id().toString())
                                    .put("objects", left.objects())
                                    .put("bytes", left.bytes())
                                    .put("keys", request.hashes().size())
                                    .put("sequences", left.sequences())
                                    .put("written_again", left.writtenAgain())
                                    .put(
                                            "leftovers",
                                            left.found().stream()
                                                    .map(l -> l.path() + ": " + l.what())
                                                    .toList())
                                    .put("leftover_count", left.count()));
        } else {
            left.found().forEach(l -> out().println("left: " + l.path() + ": " + l.what()));
            if (left.writtenAgain() > 0) {
                out().println(
                                left.writtenAgain()
                                        + " of the keys have a live document: written again, or not deleted yet");
            }
            out().println(left.looked(request.hashes().size()));
        }
        return left.none() ? Loam.OK : Loam.VIOLATIONS;
    }

    private void list(CollectionHandle handle) throws IOException {
        ErasureRecords records = records(handle);
        Table table = new Table("erasure", "requested", "until", "keys", "state");
        for (ErasureRequest request : records.requests()) {
            if (request.collectionId() != handle.info().id()) {
                continue;
            }
            String state =
                    records.completion(request.id()).isPresent()
                            ? "complete"
                            : records.released(request.id()).isPresent() ? "released" : "requested";
            if (json) {
                out().println(
                                new JsonOut()
                                        .put("erasure", request.id().toString())
                                        .put("requested_ms", request.createdAtMs())
                                        .put("deadline_ms", request.deadlineMs())
                                        .put("keys", request.hashes().size())
                                        .put("state", state));
            }
            table.row(
                    request.id(),
                    Instant.ofEpochMilli(request.createdAtMs()),
                    Instant.ofEpochMilli(request.deadlineMs()),
                    request.hashes().size(),
                    state);
        }
        if (!json) {
            table.print(out());
        }
    }
}
