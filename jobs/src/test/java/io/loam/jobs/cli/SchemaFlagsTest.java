package io.loam.jobs.cli;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.SchemaValidator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SchemaFlagsTest {
    @Command
    private static final class Holder {
        @Mixin SchemaFlags flags;
    }

    @Test
    void everyFlagBecomesItsMember() {
        CollectionSchema schema =
                flags(
                                "--text",
                                "title",
                                "--text",
                                "body:english",
                                "--keyword",
                                "tag",
                                "--field",
                                "n:i64",
                                "--field",
                                "x:f64",
                                "--field",
                                "b:bool",
                                "--field",
                                "d:date",
                                "--field",
                                "u:uuid",
                                "--field",
                                "j:json",
                                "--vector",
                                "v:3",
                                "--vector",
                                "w:4:MANHATTAN",
                                "--sparse",
                                "s",
                                "--sparse",
                                "t:idf",
                                "--dynamic",
                                "strict")
                        .schema();
        assertThat(schema.fields())
                .containsExactly(
                        field("title", new FieldKind.Text("standard", true), false),
                        field("body", new FieldKind.Text("english", true), false),
                        field("tag", new FieldKind.Keyword(), true),
                        field("n", new FieldKind.I64(), true),
                        field("x", new FieldKind.F64(), true),
                        field("b", new FieldKind.Bool(), true),
                        field("d", new FieldKind.Date(), true),
                        field("u", new FieldKind.Uuid(), true),
                        field("j", new FieldKind.Json(), true));
        assertThat(schema.vectors())
                .extracting("name", "dim", "distance")
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("v", 3, Distance.COSINE),
                        org.assertj.core.groups.Tuple.tuple("w", 4, Distance.MANHATTAN));
        assertThat(schema.sparseVectors())
                .containsExactly(
                        new CollectionSchema.SparseField("s", Modifier.NONE),
                        new CollectionSchema.SparseField("t", Modifier.IDF));
        assertThat(schema.dynamic()).isEqualTo(Dynamic.STRICT);
        SchemaValidator.validateCreation("c", 1, schema);
    }

    @Test
    void namesTheGivenOnes() {
        assertThat(flags().given()).isFalse();
        assertThat(flags("--keyword", "k").given()).isTrue();
        assertThat(flags("--sparse", "s").given()).isTrue();
        assertThat(flags("--dynamic", "map").given()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--field|n|--field n: write <name>:i64, f64, bool, date, uuid or json",
                "--field|n:int|--field n:int: write <name>:i64, f64, bool, date, uuid or json",
                "--field|n:i64:x|--field n:i64:x: more parts than <name:kind>",
                "--text|t:english:x|--text t:english:x: more parts than <name[:analyzer]>",
                "--vector|v|--vector v: write <name>:<dim>[:<distance>], such as gloss:384:cosine",
                "--vector|v:x|--vector v:x: write <name>:<dim>[:<distance>], such as gloss:384:cosine",
                "--vector|v:3:l2|--vector v:3:l2: one of [cosine, dot, euclid, manhattan], not \"l2\"",
                "--vector|v:3:dot:f|--vector v:3:dot:f: more parts than <name:dim[:distance]>",
                "--sparse|s:tf|--sparse s:tf: one of [none, idf], not \"tf\"",
                "--sparse|s:idf:x|--sparse s:idf:x: more parts than <name[:modifier]>",
                "--text|a,b|--text a,b: one field each; write --text a --text b, or name a field with a comma in a --schema file",
                "--keyword|a, b|--keyword a, b: one field each; write --keyword a --keyword b, or name a field with a comma in a --schema file",
                "--field|a:i64,b:f64|--field a:i64,b:f64: one field each; write --field a:i64 --field b:f64, or name a field with a comma in a --schema file",
                "--vector|v:3,w:4|--vector v:3,w:4: one field each; write --vector v:3 --vector w:4, or name a field with a comma in a --schema file",
                "--sparse|s,t|--sparse s,t: one field each; write --sparse s --sparse t, or name a field with a comma in a --schema file",
                "--dynamic|on|--dynamic: one of [strict, ignore, map], not \"on\""
            })
    void wrongFlagSaysWhatIsAllowed(String flag, String value, String message) {
        SchemaFlags flags = flags(flag, value);
        assertThatThrownBy(flags::schema).isInstanceOf(CliException.class).hasMessage(message);
    }

    private static Field field(String name, FieldKind kind, boolean fast) {
        return new Field(name, name, kind, true, fast, false);
    }

    private static SchemaFlags flags(String... arguments) {
        Holder holder = new Holder();
        new CommandLine(holder).parseArgs(arguments);
        return holder.flags;
    }
}
