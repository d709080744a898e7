package io.loam.flink.connector.table;

import org.apache.flink.table.api.ValidationException;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The options {@code fields.<column>.<option>} of one column. Every option must be read before
 * {@link #requireAllRead}.
 */
final class ColumnOptions {
    /** All that columns of any kind have. */
    static final List<String> NAMES =
            List.of(
                    "kind",
                    "analyzer",
                    "positions",
                    "indexed",
                    "fast",
                    "dimension",
                    "distance",
                    "index",
                    "hot",
                    "modifier");

    private final String column;
    private final Map<String, String> options = new TreeMap<>();
    private final Set<String> read = new TreeSet<>();

    private ColumnOptions(String column) {
        this.column = column;
    }

    /**
     * The options of a column of a table.
     *
     * @param tableOptions all options of the table
     */
    static ColumnOptions of(String column, Map<String, String> tableOptions) {
        ColumnOptions of = new ColumnOptions(column);
        String prefix = LoamConnectorOptions.FIELDS + column + ".";
        tableOptions.forEach(
                (key, value) -> {
                    String name = key.startsWith(prefix) ? key.substring(prefix.length()) : ".";
                    // A longer name belongs to a column that has a dot in its own.
                    if (name.indexOf('.') < 0) {
                        of.options.put(name, value);
                    }
                });
        return of;
    }

    /** Whether an option of a table can be one of some column, or is none of columns. */
    static boolean isKnown(String option) {
        return !option.startsWith(LoamConnectorOptions.FIELDS)
                || NAMES.contains(option.substring(option.lastIndexOf('.') + 1));
    }

    String column() {
        return column;
    }

    boolean has(String option) {
        return options.containsKey(option);
    }

    Optional<String> text(String option) {
        read.add(option);
        return Optional.ofNullable(options.get(option)).map(String::strip);
    }

    boolean flag(String option, boolean otherwise) {
        return parsed(
                        option,
                        "true or false",
                        text -> {
                            if (text.equals("true") || text.equals("false")) {
                                return text.equals("true");
                            }
                            throw new IllegalArgumentException(text);
                        })
                .orElse(otherwise);
    }

    Optional<Integer> number(String option) {
        return parsed(option, "a whole number", Integer::valueOf);
    }

    /**
     * Another form of an option's text; what cannot be parsed is refused with what may be given.
     */
    <T> Optional<T> parsed(String option, String allowed, Function<String, T> parser) {
        return text(option)
                .map(
                        text -> {
                            try {
                                return parser.apply(text);
                            } catch (IllegalArgumentException e) {
                                throw new ValidationException(
                                        "option "
                                                + key(option)
                                                + ": give "
                                                + allowed
                                                + ", not \""
                                                + text
                                                + "\"",
                                        e);
                            }
                        });
    }

    String key(String option) {
        return LoamConnectorOptions.FIELDS + column + "." + option;
    }

    /** Refuses an option that nothing asked for: a typing error, or one of another kind. */
    void requireAllRead(String role) {
        for (String option : options.keySet()) {
            if (!read.contains(option)) {
                throw new ValidationException(
                        "option "
                                + key(option)
                                + " means nothing for "
                                + role
                                + "; it has "
                                + String.join(", ", read));
            }
        }
    }
}
