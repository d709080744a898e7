package io.loam.flink.connector.table;

import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;

/**
 * What a call says of a search besides the question.
 *
 * @param filter only documents that match this query; null for all
 * @param version to search
 */
record SearchOptions(@Nullable String filter, ReadVersion version) implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final String FILTER = "filter";

    /**
     * The options of a call.
     *
     * @param filter null if there is none as an argument of its own
     * @param options those of {@link ReadVersion}, and {@code filter}
     * @throws ValidationException if one is none, or they do not go together
     */
    static SearchOptions of(@Nullable String filter, Map<String, String> options) {
        Map<String, String> given = new HashMap<>(options);
        String second = given.remove(FILTER);
        if (filter != null && second != null) {
            throw new ValidationException(
                    "the filter "
                            + filter
                            + " and the option '"
                            + FILTER
                            + "' = '"
                            + second
                            + "' are two filters; make one of them with AND");
        }
        return new SearchOptions(filter == null ? second : filter, ReadVersion.of(given));
    }
}
