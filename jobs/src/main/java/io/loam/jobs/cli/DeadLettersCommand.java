package io.loam.jobs.cli;

import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.store.CollectionHandle;
import io.loam.store.history.DeadLetters;

import picocli.CommandLine.Command;

import javax.annotation.Nullable;

import java.util.HexFormat;
import java.util.List;

/** Shows records that were not applied. */
@Command(
        name = "dead-letters",
        description =
                "Show the records that were not applied, and why, over the retained versions.",
        mixinStandardHelpOptions = true)
final class DeadLettersCommand extends CollectionCommand {
    @Override
    int run(CollectionHandle handle) throws Exception {
        List<DeadLetters.Entry> entries = DeadLetters.read(handle);
        Table table = new Table("version", "partition", "offset", "key", "bytes", "reason");
        for (DeadLetters.Entry entry : entries) {
            DeadLetter letter = entry.letter();
            if (json) {
                out().println(
                                new JsonOut()
                                        .put("version", entry.version())
                                        .put("partition", letter.partition())
                                        .putUnsigned("offset", letter.offset())
                                        .put("key_hex", hex(letter.key()))
                                        .put("value_hex", hex(letter.value()))
                                        .put("reason", letter.reason()));
            }
            table.row(
                    entry.version(),
                    letter.partition(),
                    Long.toUnsignedString(letter.offset()),
                    key(letter.key()),
                    letter.value() == null ? "-" : letter.value().length,
                    letter.reason());
        }
        if (!json) {
            if (table.isEmpty()) {
                out().println("no dead letters");
            } else {
                table.print(out());
            }
        }
        return Loam.OK;
    }

    private static String key(@Nullable byte[] key) {
        if (key == null) {
            return "-";
        }
        try {
            return PrimaryKey.parseCanonical(key).toString();
        } catch (InvalidKeyException e) {
            // Being no key may be the very reason the record is here.
            return "0x" + hex(key);
        }
    }

    @Nullable
    private static String hex(@Nullable byte[] bytes) {
        return bytes == null ? null : HexFormat.of().formatHex(bytes);
    }
}
