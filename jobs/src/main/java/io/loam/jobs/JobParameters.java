package io.loam.jobs;

import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.util.ParameterTool;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Parameters of a job's main method, each checked and named in what is said of it. Every job has
 * those of the warehouse: {@code warehouse}, {@code metastore}, {@code metastore-user}, {@code
 * metastore-password}, {@code s3.*}, {@code retry.*}, and {@link Secrets#NOT_SENT}.
 */
final class JobParameters {
    private static final String S3_PREFIX = "s3.";
    private static final String RETRY_PREFIX = "retry.";
    private static final String OPTION_PREFIX = "loam.";

    /** What {@link ParameterTool} puts where the command line has no value. */
    private static final String NO_VALUE = "__NO_VALUE_KEY";

    private static final Set<String> OF_WAREHOUSE =
            Set.of(
                    "warehouse",
                    "metastore",
                    "metastore-user",
                    "metastore-password",
                    Secrets.NOT_SENT);

    private final ParameterTool parameters;

    private JobParameters(ParameterTool parameters) {
        this.parameters = parameters;
    }

    /**
     * The parameters of a job, together with the secrets that were not sent.
     *
     * @param names those of the job beside the warehouse's
     * @param prefixes of names the job takes more of, each with its dot and what stands behind it,
     *     such as {@code sink.<option>}
     * @param flink configuration of the cluster
     * @throws IllegalArgumentException for a name that is unknown, or a secret that is nowhere
     */
    static JobParameters of(
            ParameterTool given,
            Set<String> names,
            List<String> prefixes,
            ReadableConfig flink,
            Map<String, String> environment) {
        Set<String> known = new TreeSet<>(OF_WAREHOUSE);
        known.addAll(names);
        for (String name : given.toMap().keySet()) {
            boolean taken =
                    known.contains(name)
                            || name.startsWith(S3_PREFIX)
                            || name.startsWith(RETRY_PREFIX)
                            || prefixes.stream().anyMatch(prefix -> startsWith(name, prefix));
            if (!taken) {
                StringBuilder there = new StringBuilder(String.join(", --", known));
                prefixes.subList(0, prefixes.size() - 1)
                        .forEach(prefix -> there.append(", --").append(prefix));
                throw new IllegalArgumentException(
                        "unknown parameter --"
                                + name
                                + "; there are --"
                                + there
                                + ", --s3.<option>, --retry.<option> and --"
                                + prefixes.get(prefixes.size() - 1));
            }
        }
        return new JobParameters(
                ParameterTool.fromMap(Secrets.added(given.toMap(), flink, environment)));
    }

    private static boolean startsWith(String name, String prefix) {
        return name.startsWith(prefix.substring(0, prefix.indexOf('.') + 1));
    }

    boolean has(String name) {
        return parameters.has(name);
    }

    String get(String name, String otherwise) {
        return parameters.get(name, otherwise);
    }

    /** Those that begin with a prefix, without it. */
    Map<String, String> under(String prefix) {
        Map<String, String> found = new TreeMap<>();
        for (String name : parameters.toMap().keySet()) {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), required(name, " has no value"));
            }
        }
        return found;
    }

    WarehouseOptions warehouse() {
        Map<String, String> settings = new TreeMap<>();
        parameters
                .toMap()
                .forEach(
                        (name, value) -> {
                            if (name.startsWith(S3_PREFIX) || name.startsWith(RETRY_PREFIX)) {
                                settings.put(name, required(name, " has no value"));
                            }
                        });
        return new WarehouseOptions(
                required("warehouse"),
                parameters.get("metastore"),
                parameters.get("metastore-user"),
                parameters.get("metastore-password"),
                settings);
    }

    String required(String name) {
        return required(name, " is missing");
    }

    private String required(String name, String problem) {
        String value = parameters.get(name);
        if (value == null || value.equals(NO_VALUE)) {
            throw new IllegalArgumentException("parameter --" + name + problem);
        }
        return value;
    }

    boolean flag(String name) {
        String text = parameters.get(name, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw wrong(name, text, "is neither true nor false", null);
        }
        return text.equals("true");
    }

    int positive(String name) {
        String text = parameters.get(name);
        try {
            int value = Integer.parseInt(text);
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, text, "is no number above 0", e);
        }
        throw wrong(name, text, "is no number above 0", null);
    }

    /**
     * Parameters under the keys of options, every one known and parsed once.
     *
     * @param prefix of the parameters, with its dot; the options' keys have {@code loam.} before it
     * @param owner whose options they are, for people
     */
    Configuration options(String prefix, List<ConfigOption<?>> all, String owner) {
        Map<String, ConfigOption<?>> known = new TreeMap<>();
        for (ConfigOption<?> option : all) {
            known.put(option.key().substring(OPTION_PREFIX.length()), option);
        }
        Configuration options = new Configuration();
        for (Map.Entry<String, String> parameter : parameters.toMap().entrySet()) {
            String name = parameter.getKey();
            if (!name.startsWith(prefix)) {
                continue;
            }
            ConfigOption<?> option = known.get(name);
            if (option == null) {
                throw new IllegalArgumentException(
                        "unknown parameter --"
                                + name
                                + "; "
                                + owner
                                + " has --"
                                + String.join(", --", known.keySet()));
            }
            options.setString(option.key(), parameter.getValue());
            try {
                options.get(option);
            } catch (IllegalArgumentException e) {
                throw wrong(name, parameter.getValue(), "does not fit: " + e.getMessage(), e);
            }
        }
        return options;
    }

    static IllegalArgumentException wrong(
            String name, String text, String why, @Nullable Exception cause) {
        String shown = text.equals(NO_VALUE) ? "without a value" : text;
        return new IllegalArgumentException("--" + name + " " + shown + " " + why, cause);
    }
}
