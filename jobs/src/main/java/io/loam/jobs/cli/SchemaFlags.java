package io.loam.jobs.cli;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A schema from flags, for those who have no schema file. */
final class SchemaFlags {
    private static final String DEFAULT_DYNAMIC = "ignore";

    @Option(
            names = "--text",
            paramLabel = "<name[:analyzer]>",
            description =
                    "A full-text field; analyzers: standard (default), english, simple, whitespace, keyword.")
    List<String> text = new ArrayList<>();

    @Option(names = "--keyword", paramLabel = "<name>", description = "An exact string field.")
    List<String> keyword = new ArrayList<>();

    @Option(
            names = "--field",
            paramLabel = "<name:kind>",
            description = "A typed field; kinds: i64, f64, bool, date, uuid, json.")
    List<String> typed = new ArrayList<>();

    @Option(
            names = "--vector",
            paramLabel = "<name:dim[:distance]>",
            description = "A dense vector; distances: cosine (default), dot, euclid, manhattan.")
    List<String> vectors = new ArrayList<>();

    @Option(
            names = "--sparse",
            paramLabel = "<name[:modifier]>",
            description = "A sparse vector; modifiers: none (default), idf.")
    List<String> sparse = new ArrayList<>();

    @Option(
            names = "--hot",
            paramLabel = "<vector>",
            description =
                    "Maintenance keeps a hot graph of this dense vector; * for all; may be"
                            + " repeated.")
    List<String> hot = new ArrayList<>();

    @Option(
            names = "--dynamic",
            paramLabel = "<mode>",
            defaultValue = DEFAULT_DYNAMIC,
            description = "Paths no field covers: strict, ignore (default) or map.")
    String dynamic = DEFAULT_DYNAMIC;

    boolean given() {
        return !(text.isEmpty()
                && keyword.isEmpty()
                && typed.isEmpty()
                && vectors.isEmpty()
                && sparse.isEmpty()
                && hot.isEmpty()
                && dynamic.equals(DEFAULT_DYNAMIC));
    }

    CollectionSchema schema() {
        List<Field> fields = new ArrayList<>();
        for (String flag : text) {
            String[] parts = split("--text", flag, "name[:analyzer]", 2);
            String analyzer = parts.length > 1 ? parts[1] : "standard";
            fields.add(field(parts[0], new FieldKind.Text(analyzer, true), false));
        }
        for (String name : keyword) {
            requireOne("--keyword", name);
            fields.add(field(name, new FieldKind.Keyword(), true));
        }
        for (String flag : typed) {
            String[] parts = split("--field", flag, "name:kind", 2);
            fields.add(field(parts[0], kind(flag, parts.length > 1 ? parts[1] : ""), true));
        }
        List<Vector> dense = vectors.stream().map(SchemaFlags::vector).toList();
        List<SparseField> sparseFields = sparse.stream().map(SchemaFlags::sparseField).toList();
        return new CollectionSchema(
                1,
                fields,
                dense,
                sparseFields,
                constant(Dynamic.class, dynamic, "--dynamic"),
                CollectionSchema.DEFAULT_MAX_FIELDS,
                hot.isEmpty()
                        ? Map.of()
                        : Map.of(HotConfiguration.KEY, HotConfiguration.print(hot)));
    }

    private static Field field(String name, FieldKind kind, boolean fast) {
        return new Field(name, name, kind, true, fast, false);
    }

    private static FieldKind kind(String flag, String kind) {
        switch (kind) {
            case "i64":
                return new FieldKind.I64();
            case "f64":
                return new FieldKind.F64();
            case "bool":
                return new FieldKind.Bool();
            case "date":
                return new FieldKind.Date();
            case "uuid":
                return new FieldKind.Uuid();
            case "json":
                return new FieldKind.Json();
            default:
                throw new CliException(
                        "--field " + flag + ": write <name>:i64, f64, bool, date, uuid or json");
        }
    }

    private static Vector vector(String flag) {
        String[] parts = split("--vector", flag, "name:dim[:distance]", 3);
        int dim;
        try {
            dim = Integer.parseInt(parts.length > 1 ? parts[1] : "");
        } catch (NumberFormatException e) {
            throw new CliException(
                    "--vector "
                            + flag
                            + ": write <name>:<dim>[:<distance>], such as gloss:384:cosine",
                    e);
        }
        Distance distance =
                constant(
                        Distance.class, parts.length > 2 ? parts[2] : "cosine", "--vector " + flag);
        return new Vector(
                parts[0], dim, distance, Element.F32, new VectorIndex.Auto(), Hnsw.DEFAULT, null);
    }

    private static SparseField sparseField(String flag) {
        String[] parts = split("--sparse", flag, "name[:modifier]", 2);
        return new SparseField(
                parts[0],
                constant(Modifier.class, parts.length > 1 ? parts[1] : "none", "--sparse " + flag));
    }

    /** A list would silently become one field of that name. */
    private static void requireOne(String option, String flag) {
        if (flag.indexOf(',') >= 0) {
            throw new CliException(
                    option
                            + " "
                            + flag
                            + ": one field each; write "
                            + option
                            + " "
                            + String.join(" " + option + " ", flag.split(" *, *"))
                            + ", or name a field with a comma in a --schema file");
        }
    }

    private static String[] split(String option, String flag, String form, int most) {
        requireOne(option, flag);
        String[] parts = flag.split(":", -1);
        if (parts.length > most) {
            throw new CliException(option + " " + flag + ": more parts than <" + form + ">");
        }
        return parts;
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String text, String flag) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text)) {
                return constant;
            }
        }
        String allowed = List.of(type.getEnumConstants()).toString().toLowerCase(Locale.ROOT);
        throw new CliException(flag + ": one of " + allowed + ", not \"" + text + "\"");
    }
}
