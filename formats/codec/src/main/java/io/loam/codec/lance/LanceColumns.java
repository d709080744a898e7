package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.proto.LanceManifestProto.Field;
import io.loam.codec.proto.LanceManifestProto.Manifest;
import io.loam.codec.staged.UnitColumn;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The fields of a Lance schema: finds the leaves of a column and appends vector columns. */
final class LanceColumns {
    private static final String NUMBER = "(u?int(8|16|32|64)|halffloat|float|double)";

    /** Of a type it does not know Lance makes an end of the process. */
    private static final Pattern TYPE =
            Pattern.compile(
                    "bool|null|struct|(large_)?(string|binary|list|list\\.struct)|"
                            + NUMBER
                            + "|fixed_size_list:"
                            + NUMBER
                            + ":[1-9]\\d{0,8}|fixed_size_binary:[1-9]\\d{0,8}");

    private static final List<String> BASE =
            List.of("_pk", "_source", "_ingest_partition", "_ingest_offset");
    static final int TOP = -1;
    private static final int PLAIN = 1;

    private final Manifest.Builder manifest;
    private final String path;

    LanceColumns(Manifest.Builder manifest, String path) {
        this.manifest = manifest;
        this.path = path;
    }

    /** Every field follows its parent, so that no field is below itself. */
    static void check(Manifest manifest, String path) {
        Set<Integer> ids = new HashSet<>();
        ids.add(TOP);
        for (Field field : manifest.getFieldsList()) {
            int id = field.getId();
            if (id < 0 || !ids.contains(field.getParentId()) || !ids.add(id)) {
                throw new CorruptException(
                        path
                                + ": field "
                                + id
                                + " below "
                                + field.getParentId()
                                + " is out of place in the schema");
            }
            if (!TYPE.matcher(field.getLogicalType()).matches()) {
                throw new CorruptException(
                        path
                                + ": column "
                                + field.getName()
                                + " has the unknown type \""
                                + field.getLogicalType()
                                + "\"");
            }
        }
    }

    /** Appends the columns that are missing, dense ones first; ids follow the current maximum. */
    void ensure(List<UnitColumn> columns) {
        columns.stream().filter(c -> !c.sparse()).forEach(this::ensure);
        columns.stream().filter(UnitColumn::sparse).forEach(this::ensure);
    }

    private void ensure(UnitColumn column) {
        String type = column.sparse() ? "struct" : "fixed_size_list:float:" + column.dimension();
        for (Field field : manifest.getFieldsList()) {
            if (field.getParentId() == TOP && field.getName().equals(column.column())) {
                if (!field.getLogicalType().equals(type)) {
                    throw new CorruptException(
                            path
                                    + ": column "
                                    + column.column()
                                    + " is "
                                    + field.getLogicalType()
                                    + ", the unit has "
                                    + type);
                }
                return;
            }
        }
        int id = add(column.column(), TOP, type, column.sparse() ? 0 : PLAIN);
        if (column.sparse()) {
            int indices = add("indices", id, "list", PLAIN);
            add("item", indices, "uint32", PLAIN);
            int values = add("values", id, "list", PLAIN);
            add("item", values, "float", PLAIN);
        }
    }

    private int add(String name, int parent, String type, int encoding) {
        int id = manifest.getFieldsList().stream().mapToInt(Field::getId).max().orElse(-1) + 1;
        if (id < 0) {
            throw new CorruptException(path + ": no field ids are left");
        }
        manifest.addFields(
                Field.newBuilder()
                        .setName(name)
                        .setId(id)
                        .setParentId(parent)
                        .setLogicalType(type)
                        .setNullable(true)
                        .setEncoding(encoding));
        return id;
    }

    /** Leaf field ids of a data file: the base columns, then these. */
    List<Integer> leaves(List<UnitColumn> columns) {
        List<Integer> ids = new ArrayList<>();
        BASE.forEach(name -> leaves(name, ids));
        columns.forEach(column -> leaves(column.column(), ids));
        return ids;
    }

    private void leaves(String column, List<Integer> ids) {
        for (Field field : manifest.getFieldsList()) {
            if (field.getParentId() == TOP && field.getName().equals(column)) {
                collect(field.getId(), ids);
                return;
            }
        }
        throw new CorruptException(path + ": the schema has no column " + column);
    }

    private void collect(int id, List<Integer> ids) {
        boolean leaf = true;
        for (Field field : manifest.getFieldsList()) {
            // Field ids start at 0, and a top-level field's parent is -1.
            if (field.getParentId() == id && field.getId() != id) {
                leaf = false;
                collect(field.getId(), ids);
            }
        }
        if (leaf) {
            ids.add(id);
        }
    }
}
