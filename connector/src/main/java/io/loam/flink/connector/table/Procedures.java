package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.procedures.Procedure;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The procedures of a catalog, and how they find a table's collection. */
final class Procedures {
    /** The database they are called in; listed nowhere. */
    static final String DATABASE = "sys";

    private enum Kind {
        CREATE_TAG("create_tag", CreateTagProcedure::new),
        DELETE_TAG("delete_tag", DeleteTagProcedure::new),
        EXPIRE_TAGS("expire_tags", ExpireTagsProcedure::new),
        GC("gc", GcProcedure::new),
        MAINTAIN("maintain", MaintainProcedure::new),
        VERIFY("verify", VerifyProcedure::new);

        private final String title;
        private final Function<Procedures, Procedure> factory;

        Kind(String title, Function<Procedures, Procedure> factory) {
            this.title = title;
            this.factory = factory;
        }
    }

    private final WarehouseOptions warehouse;
    private final String defaultDatabase;

    Procedures(WarehouseOptions warehouse, String defaultDatabase) {
        this.warehouse = warehouse;
        this.defaultDatabase = defaultDatabase;
    }

    static List<String> names() {
        return Arrays.stream(Kind.values()).map(kind -> kind.title).toList();
    }

    Optional<Procedure> find(String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.title.equals(name))
                .findFirst()
                .map(kind -> kind.factory.apply(this));
    }

    WarehouseOptions warehouse() {
        return warehouse;
    }

    Warehouse open() throws IOException {
        return Warehouse.open(warehouse);
    }

    /**
     * Opens the collection of a table.
     *
     * @param table its name, with or without its database
     */
    CollectionHandle open(Warehouse opened, String procedure, String table) throws IOException {
        String[] parts = table.split("\\.", -1);
        boolean named = parts.length <= 2 && !parts[parts.length - 1].isEmpty();
        if (!named) {
            throw new ValidationException(
                    "procedure "
                            + procedure
                            + ": give 'table' or 'database.table', not '"
                            + table
                            + "'");
        }
        String database = parts.length == 2 ? parts[0] : defaultDatabase;
        return opened.open(database, parts[parts.length - 1]);
    }
}
